package org.slf4j.helpers;

import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;

import org.junit.Test;
import org.slf4j.Marker;

public class MarkerFactoryThreadsTest {
  @Test
  public void detachingOneMarkerKeepsAnother() throws Exception {
    final BasicMarkerFactory factory = new BasicMarkerFactory();
    factory.getMarker("a");
    Thread other = new Thread() {
      public void run() {
        factory.detachMarker("a");
      }
    };
    other.start();
    Marker b = factory.getMarker("b");
    other.join();
    assertTrue(factory.exists("b"));
    assertSame(b, factory.getMarker("b"));
  }
}
