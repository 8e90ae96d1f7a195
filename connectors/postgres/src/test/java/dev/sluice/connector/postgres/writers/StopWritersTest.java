package dev.sluice.connector.postgres.writers;

import static dev.sluice.connector.postgres.writers.WritersFixture.MOVED_TO;
import static dev.sluice.connector.postgres.writers.WritersFixture.PATIENCE;
import static dev.sluice.connector.postgres.writers.WritersFixture.execute;
import static dev.sluice.connector.postgres.writers.WritersFixture.ids;
import static dev.sluice.connector.postgres.writers.WritersFixture.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.writers.StoppedWriters;
import dev.sluice.connector.api.source.writers.WriterStop.Decision;
import dev.sluice.connector.api.source.writers.WriterStop.Request;
import dev.sluice.embedded.postgres.PostgresVersion;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What writers suffer while they are being stopped, and who is in the way. */
class StopWritersTest {
  private static final Duration SHORT = Duration.ofSeconds(2);
  private static final String LOCKED =
      "SELECT EXISTS (SELECT FROM pg_locks WHERE granted AND relation = '%s'::regclass"
          + " AND mode = '%s')";

  @Test
  void sequencesOfStoppedTablesGiveOutNothingUntilTheEnd() throws Exception {
    try (WritersFixture source =
        new WritersFixture(
            "CREATE TABLE sold (id serial, what text)", "CREATE TABLE noted (id serial)")) {
      source.execute("SELECT nextval('sold_id_seq')", "SELECT nextval('noted_id_seq')");
      String file = source.text("SELECT pg_relation_filenode('sold_id_seq')");
      try (StoppedWriters stopped = source.stop("sold", "noted");
          Connection other = source.connect()) {
        // Somebody has just used this one, and its transaction lasts.
        execute(other, "BEGIN; SELECT nextval('noted_id_seq')");
        stopped.prepareMove(WritersFixture.MOVED_TO);
        SQLException error =
            result(source.async("SET lock_timeout = '100ms'; SELECT nextval('sold_id_seq')"));
        assertThat((Throwable) error).isNotNull();
        assertThat(error.getSQLState()).isEqualTo("55P03");
        assertThat(source.text("SELECT last_value FROM sold_id_seq")).isEqualTo("1");
        execute(other, "SELECT nextval('noted_id_seq')");
      }
      assertThat(source.text("SELECT nextval('sold_id_seq')")).isEqualTo("2");
      assertThat(source.text("SELECT pg_relation_filenode('sold_id_seq')")).isEqualTo(file);
      assertThat(source.text("SELECT pg_get_serial_sequence('sold', 'id')"))
          .isEqualTo("public.sold_id_seq");
    }
  }

  @Test
  void closingWithoutDecisionLeavesNoTraceAndLetsWritersGoOn() throws Exception {
    try (WritersFixture source = new WritersFixture("CREATE TABLE t (id int)")) {
      CompletableFuture<SQLException> waiting;
      try (StoppedWriters stopped = source.stop("t")) {
        assertThat(stopped.tables()).containsExactlyElementsOf(ids("t"));
        assertThat(stopped.attempts()).isEqualTo(1);
        assertThat(stopped.locking()).isPositive();
        waiting = source.async("INSERT INTO t VALUES (1)");
        source.awaitWaiting(1);
        stopped.prepareMove(MOVED_TO);
        assertThat(waiting).isNotDone();
        assertThat(source.opened()).isEmpty();
      }
      assertThat((Throwable) result(waiting)).isNull();
      assertThat(source.text("SELECT count(*) FROM t")).isEqualTo("1");
      assertThat(source.isUntouched()).isTrue();
      // And it can be done again.
      source.stop("t").close();
    }
  }

  /** Nothing of this process acts while the time passes: the server itself releases them. */
  @ParameterizedTest
  @EnumSource(names = {"NEWEST", "OLDER"})
  void theServerReleasesTheWritersWhenTheTimeIsOver(PostgresVersion version) throws Exception {
    try (WritersFixture source =
        new WritersFixture(WritersFixture.server(version), "CREATE TABLE t (id int)")) {
      try (StoppedWriters idle =
          source.writers().stop(source.request(PATIENCE, Duration.ofSeconds(3), "t"))) {
        assertThat((Throwable) result(source.async("INSERT INTO t VALUES (1)"))).isNull();
        assertThatThrownBy(() -> idle.prepareMove(MOVED_TO))
            .isInstanceOf(SluiceException.Retryable.class);
      }
      try (StoppedWriters prepared =
          source.writers().stop(source.request(PATIENCE, Duration.ofSeconds(3), "t"))) {
        prepared.prepareMove(MOVED_TO);
        assertThat((Throwable) result(source.async("INSERT INTO t VALUES (1)"))).isNull();
        assertThatThrownBy(prepared::decide).isInstanceOf(SluiceException.Retryable.class);
      }
      assertThat(source.isUntouched()).isTrue();
      assertThat(source.writers().decision(source.cutover, PATIENCE)).isEqualTo(Decision.NOT_MOVED);
    }
  }

  @Test
  void aLongTransactionIsNamedAndDelaysOnlyTheCutover() throws Exception {
    try (WritersFixture source =
            new WritersFixture("CREATE TABLE t (id int)", "INSERT INTO t VALUES (1)");
        Connection holder = source.connect()) {
      execute(holder, "SET application_name = 'nightly'; BEGIN; UPDATE t SET id = 1");
      String pid = WritersFixture.text(holder, "SELECT pg_backend_pid()");
      CompletableFuture<Throwable> stopping =
          CompletableFuture.supplyAsync(
              () -> thrown(() -> source.writers().stop(source.request(SHORT, PATIENCE, "t"))));
      source.awaitTrue(LOCKED.formatted("t", "ShareUpdateExclusiveLock"));
      source.execute("SET statement_timeout = '60s'");
      int written = 0;
      while (!stopping.isDone()) {
        source.execute("INSERT INTO t VALUES (2)");
        written++;
      }
      // Behind a request that waits without end, none would come through.
      assertThat(written).isPositive();
      assertThat(result(stopping))
          .isInstanceOf(SluiceException.Retryable.class)
          .hasMessageContaining("process " + pid + " of postgres (nightly) since 2")
          .hasMessageContaining("RowExclusiveLock on public.t")
          .hasMessageContaining("nothing is locked any more");
      assertThat(source.text("SELECT count(*) FROM pg_locks WHERE relation = 't'::regclass"))
          .isEqualTo("1");
      execute(holder, "COMMIT");
      source.stop("t").close();
    }
  }

  @Test
  void aPreparedTransactionIsNamed() throws Exception {
    try (WritersFixture source =
        new WritersFixture(
            "CREATE TABLE t (id int)",
            "BEGIN",
            "INSERT INTO t VALUES (1)",
            "PREPARE TRANSACTION 'forgotten'")) {
      try {
        assertThatThrownBy(() -> source.writers().stop(source.request(SHORT, PATIENCE, "t")))
            .isInstanceOf(SluiceException.Retryable.class)
            .hasMessageContaining("prepared transaction 'forgotten' of postgres");
      } finally {
        source.execute("ROLLBACK PREPARED 'forgotten'");
      }
    }
  }

  @Test
  void theVictimOfADeadlockIsNeverTheApplication() throws Exception {
    try (WritersFixture source =
            new WritersFixture(
                "CREATE TABLE a (id int)", "CREATE TABLE b (id int)", "INSERT INTO a VALUES (1)");
        Connection application = source.connect()) {
      execute(application, "SET statement_timeout = '60s'; BEGIN; INSERT INTO b VALUES (1)");
      CompletableFuture<StoppedWriters> stopping =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return source.stop("a", "b");
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      // It has locked one table and waits for the other one, over and over.
      source.awaitTrue(LOCKED.formatted("a", "ShareRowExclusiveLock"));
      for (int row = 0; row < 20; row++) {
        execute(application, "UPDATE a SET id = id + 1");
      }
      assertThat(stopping).isNotDone();
      execute(application, "COMMIT");
      try (StoppedWriters stopped = result(stopping)) {
        assertThat(stopped.attempts()).isGreaterThan(1);
      }
      assertThat(source.text("SELECT id FROM a")).isEqualTo("21");
    }
  }

  /** Readers queue behind it, so the tables that it waits for are given back. */
  @Test
  void whoeverWaitsToExcludeAllComesFirst() throws Exception {
    try (WritersFixture source =
            new WritersFixture(
                "CREATE TABLE a (id int)", "CREATE TABLE b (id int)", "INSERT INTO b VALUES (1)");
        Connection holder = source.connect()) {
      execute(holder, "BEGIN; UPDATE b SET id = 2");
      CompletableFuture<Throwable> stopping =
          CompletableFuture.supplyAsync(() -> thrown(() -> source.stop("a", "b").close()));
      source.awaitTrue(LOCKED.formatted("a", "ShareUpdateExclusiveLock"));
      for (int column = 0; column < 3; column++) {
        assertThat(
                (Throwable) result(source.async("ALTER TABLE a ADD COLUMN more" + column + " int")))
            .isNull();
        assertThat(stopping).isNotDone();
      }
      execute(holder, "COMMIT");
      assertThat(result(stopping)).isNull();
    }
  }

  @Test
  void whoeverWaitsToExcludeAllIsNamed() throws Exception {
    try (WritersFixture source = new WritersFixture("CREATE TABLE a (id int)");
        Connection reader = source.connect()) {
      execute(reader, "BEGIN; SELECT FROM a");
      CompletableFuture<SQLException> altering = source.async("ALTER TABLE a ADD COLUMN more int");
      source.awaitWaiting(1);
      assertThatThrownBy(() -> source.writers().stop(source.request(SHORT, PATIENCE, "a")))
          .isInstanceOf(SluiceException.Retryable.class)
          .hasMessageContaining("waits for ACCESS EXCLUSIVE on public.a");
      execute(reader, "COMMIT");
      assertThat((Throwable) result(altering)).isNull();
    }
  }

  @Test
  void ofTwoCutoversOfTheSameTablesOneWaitsAndIsRefusedThen() throws Exception {
    try (WritersFixture source =
        new WritersFixture("CREATE TABLE a (id int)", "CREATE TABLE b (id int)")) {
      Request other = new Request(UUID.randomUUID(), ids("b", "a"), PATIENCE, PATIENCE);
      CompletableFuture<Throwable> second;
      try (StoppedWriters first = source.stop("a", "b")) {
        second = CompletableFuture.supplyAsync(() -> thrown(() -> source.writers().stop(other)));
        source.awaitWaiting(1);
        first.prepareMove(MOVED_TO);
        assertThat(second).isNotDone();
        first.decide();
      }
      assertThat(result(second))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("a cutover has closed them for writers")
          .hasMessageContaining("--reopen-source");
      assertThat(source.writers().decision(source.cutover, PATIENCE)).isEqualTo(Decision.MOVED);
      assertThat(source.writers().decision(other.cutover(), PATIENCE))
          .isEqualTo(Decision.NOT_MOVED);
    }
  }

  @Test
  void hundredsOfTablesAreStoppedAndMovedInOneGo() throws Exception {
    int tables = 500;
    try (WritersFixture source =
        new WritersFixture(
            "SELECT 1",
            "DO $$ BEGIN FOR n IN 0..499 LOOP EXECUTE format('CREATE TABLE t%s (id int)', n);"
                + " END LOOP; END $$")) {
      String[] names = IntStream.range(0, tables).mapToObj(n -> "t" + n).toArray(String[]::new);
      try (StoppedWriters stopped = source.stop(names)) {
        assertThat(stopped.tables()).hasSize(tables);
        stopped.prepareMove(MOVED_TO);
        stopped.decide();
      }
      source.assertRefused(result(source.async("INSERT INTO t499 VALUES (1)")));
      assertThat(source.opened()).isEmpty();
      assertThat(source.reopen()).hasSize(tables);
      assertThat(source.isUntouched()).isTrue();
    }
  }

  @Test
  void aTableThatIsGoneIsReported() throws Exception {
    try (WritersFixture source = new WritersFixture("CREATE TABLE t (id int)")) {
      assertThatThrownBy(() -> source.stop("t", "gone"))
          .isInstanceOf(SluiceException.Overtaken.class)
          .hasMessageContaining("public.gone");
      assertThat((Throwable) result(source.async("INSERT INTO t VALUES (1)"))).isNull();
    }
  }

  /** An action that may fail. */
  private interface Action {
    void run() throws Exception;
  }

  private static Throwable thrown(Action action) {
    try {
      action.run();
      return null;
    } catch (Exception e) {
      return e;
    }
  }

  /** The order of the tables does not matter. */
  @Test
  void tablesAreStoppedOnce() throws Exception {
    try (WritersFixture source = new WritersFixture("CREATE TABLE t (id int)")) {
      Request twice = new Request(source.cutover, ids("t", "t"), PATIENCE, PATIENCE);
      try (StoppedWriters stopped = source.writers().stop(twice)) {
        assertThat(stopped.tables()).isEqualTo(Set.copyOf(ids("t")));
        assertThat(List.copyOf(stopped.tables())).hasSize(1);
      }
    }
  }
}
