package dev.sluice.engine.cutover.hook;

import dev.sluice.config.retry.Polling;
import dev.sluice.config.task.Endpoint;
import dev.sluice.engine.cutover.hook.pgbouncer.ConsoleFailure;
import dev.sluice.engine.cutover.hook.pgbouncer.PgbouncerConsole;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Works with the admin consoles of all instances at the same time, each on its own thread. */
final class EachInstance {
  private static final Duration RETRY_INTERVAL = Duration.ofMillis(100);
  private static final String EXPECTED = "every instance to answer within the timeout";

  private final List<Endpoint> instances;

  EachInstance(List<Endpoint> instances) {
    this.instances = instances;
  }

  /** Work with the open console of one instance. */
  interface Work<T> {
    T with(Endpoint instance, PgbouncerConsole console) throws ConsoleFailure;
  }

  /**
   * Does the work once with every instance.
   *
   * @param timeout after which connections that still wait are cut
   * @return what the work gave, by instance
   * @throws HookFailure if it failed for one; its output has the instances for which it did not
   */
  <T> Map<Endpoint, T> once(Duration timeout, String fix, Work<T> work)
      throws HookFailure, InterruptedException {
    Round<T> round = new Round<>();
    round.run(instances, timeout, work);
    return round.result(fix);
  }

  /** The same, and tries again where it failed, until the timeout. */
  <T> Map<Endpoint, T> retried(Duration timeout, String fix, Work<T> work)
      throws HookFailure, InterruptedException {
    Round<T> all = new Round<>();
    long deadline = System.nanoTime() + timeout.toNanos();
    Polling.every(RETRY_INTERVAL)
        .until(
            timeout,
            () -> {
              List<Endpoint> left =
                  instances.stream().filter(instance -> !all.done.containsKey(instance)).toList();
              all.run(left, Duration.ofNanos(Math.max(1, deadline - System.nanoTime())), work);
              return all.failed.isEmpty();
            });
    return all.result(fix);
  }

  /** What came of the instances so far. Owned by the calling thread, except where it says so. */
  private static final class Round<T> {
    private final Map<Endpoint, T> done = new LinkedHashMap<>();
    private final Map<Endpoint, String> failed = new LinkedHashMap<>();

    void run(List<Endpoint> instances, Duration timeout, Work<T> work) throws InterruptedException {
      CountDownLatch left = new CountDownLatch(instances.size());
      List<Call<T>> calls = new ArrayList<>();
      for (Endpoint instance : instances) {
        Call<T> call = new Call<>(instance, timeout, work, left);
        calls.add(call);
        Thread thread = new Thread(call, "sluice-hook-pgbouncer");
        thread.setDaemon(true);
        thread.start();
      }
      try {
        left.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
      } finally {
        calls.forEach(Call::cut);
      }
      for (Call<T> call : calls) {
        call.putInto(done, failed);
      }
    }

    Map<Endpoint, T> result(String fix) throws HookFailure {
      if (failed.isEmpty()) {
        return done;
      }
      throw new HookFailure(
          String.join("; ", failed.values()),
          EXPECTED,
          fix,
          done.keySet().stream().map(instance -> address(instance) + ": done").toList());
    }
  }

  static String address(Endpoint instance) {
    return (instance.host().contains(":") ? "[" + instance.host() + "]" : instance.host())
        + ":"
        + instance.port();
  }

  static String addresses(List<Endpoint> instances) {
    return instances.stream().map(EachInstance::address).collect(Collectors.joining(", "));
  }

  /** The work with one instance; threadsafe. */
  private static final class Call<T> implements Runnable {
    private final Endpoint instance;
    private final Duration timeout;
    private final Work<T> work;
    private final CountDownLatch left;
    private final PgbouncerConsole console;
    private T result;
    private String failure;
    private boolean wasCut;

    Call(Endpoint instance, Duration timeout, Work<T> work, CountDownLatch left) {
      this.instance = instance;
      this.timeout = timeout;
      this.work = work;
      this.left = left;
      this.console = new PgbouncerConsole(instance);
    }

    @Override
    public void run() {
      try (console) {
        console.open(timeout);
        end(work.with(instance, console), null);
      } catch (ConsoleFailure | RuntimeException e) {
        end(null, String.valueOf(e.getMessage()));
      } finally {
        left.countDown();
      }
    }

    private synchronized void end(T given, String why) {
      if (failure == null && result == null) {
        result = given;
        failure = why;
      }
    }

    /** What still runs has failed from now on, whatever comes of it. */
    void cut() {
      synchronized (this) {
        if (result != null || failure != null) {
          return;
        }
        wasCut = true;
        failure = address(instance) + ": nothing came of it within " + timeout.toMillis() + " ms";
      }
      console.cut();
    }

    /** What an earlier try found says more than that the time is up. */
    synchronized void putInto(Map<Endpoint, T> done, Map<Endpoint, String> failed) {
      if (failure == null) {
        failed.remove(instance);
        done.put(instance, result);
      } else if (wasCut) {
        failed.putIfAbsent(instance, failure);
      } else {
        failed.put(instance, failure);
      }
    }
  }
}
