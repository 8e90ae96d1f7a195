package dev.sluice.engine.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.load.target.WorkerAdvice;
import dev.sluice.sink.control.schema.EpochFence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers of a load of which fewer may work than there are. */
@Timeout(600)
class WorkerGateTest {
  private static final int SEGMENTS = 12;

  private final LoadRun run =
      new LoadRun(
          new LoadPlan(List.of(SegmentPlans.table("a", 0, SEGMENTS))),
          Map.of(),
          UnaryOperator.identity(),
          AttemptMarks.none(EpochFence.NONE),
          LoadThrottle.none(),
          table -> {});

  /** Each lets one worker end its segment. */
  private final Semaphore ends = new Semaphore(0);

  private final AtomicInteger loading = new AtomicInteger();
  private final ConcurrentLinkedQueue<String> loaded = new ConcurrentLinkedQueue<>();
  private final List<Thread> workers = new ArrayList<>();

  @AfterEach
  void end() throws InterruptedException {
    run.stop();
    ends.release(SEGMENTS);
    for (Thread worker : workers) {
      worker.join();
    }
  }

  @Test
  void noWorkerTakesItsNextSegmentWhileMoreWorkThanMay() {
    start(4);
    awaitLoading(4);
    run.gate().allow(2);
    ends.release(2);
    eventually("two have ended their segments").until(() -> loaded.size() == 2);
    eventually("they wait").until(() -> waiting() == 2);
    assertThat(loading).hasValue(2);
    assertThat(run.gate().working()).isEqualTo(2);

    ends.release(1);
    eventually("the third has ended its segment").until(() -> loaded.size() == 3);
    eventually("the one that waited longest has taken its place").until(() -> loading.get() == 2);
    assertThat(run.gate().working()).isEqualTo(2);
  }

  @Test
  void workersThatWaitGoOnWhenMoreMayWork() {
    run.gate().allow(1);
    start(3);
    awaitLoading(1);
    eventually("the others wait").until(() -> waiting() == 2);
    run.gate().allow(3);
    awaitLoading(3);
  }

  @Test
  void allSegmentsAreLoadedByOneAtATimeAndEachWorkerHasItsTurn() {
    run.gate().allow(1);
    start(3);
    awaitLoading(1);
    eventually("the others wait").until(() -> waiting() == 2);
    ends.release(SEGMENTS);
    eventually("all workers have ended").until(() -> workers.stream().noneMatch(Thread::isAlive));
    assertThat(loaded).hasSize(SEGMENTS);
    assertThat(loaded.stream().distinct()).hasSize(3);
    assertThat(run.gate().working()).isZero();
  }

  @Test
  void workersThatWaitEndWithTheLoad() {
    run.gate().allow(1);
    start(3);
    awaitLoading(1);
    eventually("the others wait").until(() -> waiting() == 2);
    run.stop();
    eventually("those that waited have ended")
        .until(() -> workers.stream().filter(Thread::isAlive).count() == 1);
  }

  @Test
  void whatTheTargetAdvisesIsAllowedAndAnOpenQuestionEndsWithTheLoad() {
    BlockingQueue<Integer> answers = new LinkedBlockingQueue<>();
    List<Integer> asked = new ArrayList<>();
    Thread[] waitsForAnswer = new Thread[1];
    boolean[] closed = new boolean[1];
    answers.add(2);
    WorkerAdvice advice =
        new WorkerAdvice() {
          @Override
          public Duration interval() {
            return Duration.ofMillis(1);
          }

          @Override
          public int workers(int working) {
            synchronized (asked) {
              asked.add(working);
              waitsForAnswer[0] = Thread.currentThread();
            }
            try {
              return answers.take();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
              return 1;
            }
          }

          @Override
          public void abort() {
            answers.add(1);
          }

          @Override
          public void close() {
            closed[0] = true;
          }
        };
    start(4);
    awaitLoading(4);
    AdvisedWorkers advised = AdvisedWorkers.start(advice, run.gate());
    eventually("the second question")
        .until(
            () -> {
              synchronized (asked) {
                return asked.size() == 2;
              }
            });
    assertThat(asked).first().isEqualTo(4);
    ends.release(3);
    eventually("three have ended their segments, of which one went on")
        .until(() -> loaded.size() == 3 && loading.get() == 2 && waiting() == 2);
    advised.close();
    assertThat(closed[0]).isTrue();
    assertThat(waitsForAnswer[0].isAlive()).isFalse();
  }

  private void start(int count) {
    for (int i = 0; i < count; i++) {
      Thread worker = new Thread(this::load, "worker " + i);
      workers.add(worker);
      worker.start();
    }
  }

  private void load() {
    Optional<Segment> segment = run.next(Optional.empty());
    while (segment.isPresent()) {
      loading.incrementAndGet();
      ends.acquireUninterruptibly();
      loading.decrementAndGet();
      loaded.add(Thread.currentThread().getName());
      segment = run.next(segment);
    }
  }

  private static ConditionFactory eventually(String what) {
    return Awaitility.await(what).atMost(Duration.ofMinutes(5));
  }

  private void awaitLoading(int count) {
    eventually("loading").until(() -> loading.get() == count);
  }

  /** How many wait at the gate. */
  private long waiting() {
    return workers.stream()
        .filter(
            worker ->
                worker.getState() == Thread.State.WAITING
                    && List.of(worker.getStackTrace()).stream()
                        .anyMatch(frame -> frame.getClassName().equals(WorkerGate.class.getName())))
        .count();
  }
}
