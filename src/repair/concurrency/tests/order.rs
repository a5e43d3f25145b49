//! Locks that several threads take, one after the other: in one order, or never two at a time.

use super::*;

#[test]
fn two_locks_are_taken_in_one_order() {
    let before = class(
        "int n;\n\nvoid move(A to) {\n    synchronized (this) {\n        synchronized (to) {\n            n--;\n            \
         to.n++;\n        }\n    }\n}",
    );
    let told = Told::of(&before).failed("deadlock", None);
    let after = before.replace(
        "        synchronized (this) {\n            synchronized (to) {",
        "        A first = System.identityHashCode(this) <= System.identityHashCode(to) ? this : to;\n        \
         A second = first == this ? to : this;\n        synchronized (first) {\n            synchronized (second) {",
    );
    holds(&told, Way::LockOrder, &after);
}

#[test]
fn the_lock_of_an_object_is_taken_where_others_come_to_its_fields() {
    let before = class(
        "int sum;\n\nstatic class Payer extends Thread {\n    final A till = new A();\n\n    @Override\n    public void \
         run() {\n        till.sum += 3;\n    }\n}",
    );
    let told = Told::of(&before).pattern("RWW", &[("till.sum", "p.A.sum"); 3]);
    let after = before.replace(
        "            till.sum += 3;\n",
        "            synchronized (till) {\n                till.sum += 3;\n            }\n",
    );
    holds(&told, Way::Synchronized, &after);
}

#[test]
fn a_lock_is_given_back_before_the_next_one() {
    let before = class(
        "int n;\n\nsynchronized void move(A to) {\n    n--;\n    synchronized (to) {\n        to.n++;\n    }\n}",
    );
    let told = Told::of(&before).failed("deadlock", None);
    let after = before.replace(
        "    synchronized void move(A to) {\n        n--;\n",
        "    void move(A to) {\n        synchronized (this) {\n            n--;\n        }\n",
    );
    holds(&told, Way::LockOrder, &after);
}

#[test]
fn a_call_on_itself_takes_no_other_lock() {
    let before = class(
        "int sum;\n\nsynchronized void pay(int n, A to) {\n    this.check();\n    to.add(n);\n}\n\n\
         synchronized void check() {\n}\n\nsynchronized void add(int n) {\n    sum += n;\n}",
    );
    let told = Told::of(&before).failed("deadlock", None);
    let after = before.replace(
        "    synchronized void pay(int n, A to) {\n        this.check();\n        to.add(n);\n",
        "    void pay(int n, A to) {\n        \
         A first = System.identityHashCode(this) <= System.identityHashCode(to) ? this : to;\n        \
         A second = first == this ? to : this;\n        synchronized (first) {\n            \
         synchronized (second) {\n                this.check();\n                to.add(n);\n            }\n        }\n",
    );
    begins(&told, Way::LockOrder, &after);
}

#[test]
fn locks_that_two_synchronized_methods_take_are_taken_in_one_order() {
    let before = class(
        "int sum;\n\nsynchronized void pay(int n, A to) {\n    sum -= n;\n    to.add(n);\n}\n\n\
         synchronized void add(int n) {\n    sum += n;\n}",
    );
    let told = Told::of(&before).failed("deadlock", None);
    let after = before.replace(
        "    synchronized void pay(int n, A to) {\n        sum -= n;\n        to.add(n);\n",
        "    void pay(int n, A to) {\n        \
         A first = System.identityHashCode(this) <= System.identityHashCode(to) ? this : to;\n        \
         A second = first == this ? to : this;\n        synchronized (first) {\n            \
         synchronized (second) {\n                sum -= n;\n                to.add(n);\n            }\n        }\n",
    );
    begins(&told, Way::LockOrder, &after);
    let after = before.replace(
        "    synchronized void pay(int n, A to) {\n        sum -= n;\n",
        "    void pay(int n, A to) {\n        synchronized (this) {\n            sum -= n;\n        }\n",
    );
    holds(&told, Way::LockOrder, &after);
}
