package dev.sluice.target.yugabytedb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.embedded.postgres.strict.ListedServer;
import dev.sluice.embedded.postgres.strict.MeasuredServer;
import dev.sluice.embedded.postgres.strict.StrictProxy;
import dev.sluice.load.target.WorkerAdvice;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many workers load a cluster that says how busy its servers are. */
@Timeout(600)
class WorkerAdviceTest {
  private static final int MOST = 4;
  private static final String QUESTION = "select coalesce(yb_servers.host";

  private YugabyteLab database;
  private StrictProxy proxy;
  private WorkerAdvice advice;

  @BeforeEach
  void start() throws Exception {
    database = YugabyteLab.database();
    proxy = new StrictProxy(YugabyteLab.postgresPort(), 0);
    proxy.list(
        List.of(ListedServer.primary(1, "aws.eu.eu-a"), ListedServer.primary(2, "aws.eu.eu-b")));
    advice =
        new YugabyteLoadDialect().workerAdvice(database.serverAt(proxy.port()), MOST).orElseThrow();
  }

  @AfterEach
  void stop() throws Exception {
    advice.close();
    proxy.close();
    database.drop();
  }

  @Test
  void aBusyServerLowersTheNumberAndIdleOnesRaiseIt() {
    proxy.measure(List.of(MeasuredServer.busy(1, 10), MeasuredServer.busy(2, 95)));
    assertThat(advice.workers(MOST)).isEqualTo(3);
    assertThat(advice.workers(3)).isEqualTo(2);
    proxy.measure(List.of(MeasuredServer.busy(1, 10), MeasuredServer.busy(2, 20)));
    assertThat(advice.workers(2)).isEqualTo(2);
    assertThat(advice.workers(2)).isEqualTo(2);
    assertThat(advice.workers(2)).isEqualTo(3);
  }

  @Test
  void memoryThatIsShortLowersTheNumber() {
    proxy.measure(List.of(MeasuredServer.aboveItsMemory(1)));
    assertThat(advice.workers(MOST)).isEqualTo(3);
    proxy.measure(List.of(MeasuredServer.onFullMachine(1)));
    assertThat(advice.workers(3)).isEqualTo(2);
  }

  @Test
  void aServerThatDoesNotAnswerIsLeftOut() {
    proxy.measure(List.of(MeasuredServer.notAnswering(1), MeasuredServer.busy(2, 95)));
    assertThat(advice.workers(MOST)).isEqualTo(3);
    proxy.measure(List.of(MeasuredServer.notAnswering(1), MeasuredServer.busy(2, 10)));
    assertThat(List.of(advice.workers(3), advice.workers(3), advice.workers(3)))
        .containsExactly(3, 3, 4);
  }

  @Test
  void aReleaseWithoutTheFunctionIsAskedOnce() {
    proxy.measure(List.of());
    assertThat(advice.workers(MOST)).isEqualTo(MOST);
    proxy.measure(List.of(MeasuredServer.busy(1, 95)));
    assertThat(advice.workers(MOST)).isEqualTo(MOST);
  }

  @Test
  void aQuestionThatFailsLeavesTheNumberAndTheNextOneIsAsked() {
    proxy.measure(List.of(MeasuredServer.busy(1, 95)));
    proxy.failEach(QUESTION);
    assertThat(advice.workers(MOST)).isEqualTo(MOST);
    proxy.failNone();
    assertThat(advice.workers(MOST)).isEqualTo(3);
  }

  @Test
  void anOpenQuestionEndsWithTheLoad() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    proxy.beforeEach(
        QUESTION,
        () -> {
          asked.countDown();
          awaitUninterrupted(answered);
        });
    CompletableFuture<Integer> answer = CompletableFuture.supplyAsync(() -> advice.workers(MOST));
    try {
      assertThat(asked.await(5, TimeUnit.MINUTES)).isTrue();
      advice.abort();
      assertThat(answer.get(5, TimeUnit.MINUTES)).isEqualTo(MOST);
      assertThat(answered.getCount()).as("the server has not answered").isOne();
    } finally {
      answered.countDown();
    }
  }

  @Test
  void theQuestionsHaveOneSessionWhichEndsWithThem() {
    for (int i = 0; i < 5; i++) {
      advice.workers(MOST);
    }
    assertThat(proxy.connections()).isEqualTo(1);
    advice.close();
    await("the session has ended")
        .atMost(Duration.ofMinutes(5))
        .until(() -> proxy.connections() == 0);
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
