package dev.sluice.engine.load;

import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Where the workers of a load wait for their next segment while fewer of them may work than there
 * are. They pass in the order in which they came, so that the session of none is idle for long.
 * Threadsafe: shared by the workers and by who decides their number.
 */
final class WorkerGate {
  // These fields are protected by this object's lock.
  private final Queue<Thread> waiting = new ArrayDeque<>();
  private int most = Integer.MAX_VALUE;
  private int working;
  private boolean open;

  /** From now on so many may work. Those that do go on to the ends of their segments. */
  synchronized void allow(int workers) {
    most = workers;
    notifyAll();
  }

  /** Lets all pass from now on: the load ends. */
  synchronized void open() {
    open = true;
    notifyAll();
  }

  /** Waits until the calling worker may work. */
  synchronized void enter() throws InterruptedException {
    Thread worker = Thread.currentThread();
    waiting.add(worker);
    try {
      while (!open && (working >= most || waiting.peek() != worker)) {
        wait();
      }
    } finally {
      waiting.remove(worker);
      notifyAll();
    }
    working++;
  }

  /** Called by each worker that has entered, when its segment has ended. */
  synchronized void leave() {
    working--;
    notifyAll();
  }

  /** How many work at present. */
  synchronized int working() {
    return working;
  }
}
