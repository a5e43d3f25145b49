package org.apache.commons.beanutils2;

import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;

class WrapDynaClassThreadsTest {
    public static class First {
        public int getSize() {
            return 1;
        }
    }

    public static class Second {
        public int getWeight() {
            return 1;
        }
    }

    @Test
    void classOfABeanIsMadeOnce() throws Exception {
        final WrapDynaClass[] made = new WrapDynaClass[1];
        final Thread other = new Thread(() -> made[0] = WrapDynaClass.createDynaClass(First.class));
        other.start();
        final WrapDynaClass second = WrapDynaClass.createDynaClass(Second.class);
        other.join();
        assertSame(made[0], WrapDynaClass.createDynaClass(First.class));
        assertSame(second, WrapDynaClass.createDynaClass(Second.class));
    }
}
