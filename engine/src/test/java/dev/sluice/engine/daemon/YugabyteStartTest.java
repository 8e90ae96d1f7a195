package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.document.Problem;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.embedded.postgres.strict.Fault;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.check.RepeatedChecks;
import dev.sluice.engine.context.TaskContext;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The checks of a start, of which statements fail on a target that is as strict as YugabyteDB. */
@ExtendWith(SharedBroker.class)
@Timeout(900)
class YugabyteStartTest {
  /** Of many statements each of so many fails: most are asked for each table alike. */
  private static final int STRIDE = 4;

  private static final String[] TABLES = {
    "CREATE SCHEMA shop",
    "CREATE TABLE shop.item (id int PRIMARY KEY, name varchar(40))",
    "CREATE TABLE shop.line (id int PRIMARY KEY, item int)"
  };

  @RegisterExtension static final YugabyteServers SERVERS = new YugabyteServers();

  @TempDir Path folder;

  @Test
  void aConflictThatMeetsAStatementOfTheChecksDoesNotEndTheStart() throws Exception {
    TaskConfig config = config("conflict");
    // The control tables are there.
    RunningDaemon.replicating(config).close();
    int statements = failing(0, config);
    assertThat(statements).isGreaterThan(20);
    for (int n = 1; n <= statements; n += STRIDE) {
      failing(n, config);
    }
    assertThat(SERVERS.proxy().faults().get(Fault.CONFLICT)).isGreaterThan(statements / STRIDE / 2);
  }

  /** Lets a statement fail, and expects no problem; returns how many there were. */
  private static int failing(int number, TaskConfig config) throws Exception {
    AtomicInteger count = new AtomicInteger();
    SERVERS
        .proxy()
        .beforeEach(
            "select",
            () -> {
              if (count.incrementAndGet() == number) {
                SERVERS.proxy().failOnce("select", Fault.CONFLICT);
              }
            });
    try {
      assertThat(problems(config)).as("statement %d fails", number).isEmpty();
    } finally {
      SERVERS.proxy().beforeEach("select", () -> {});
    }
    return count.get();
  }

  @Test
  void anErrorThatStaysIsSaid() throws Exception {
    TaskConfig config = config("stays");
    SERVERS.proxy().failEach("select yb_get_effective");
    try {
      assertThat(problems(config))
          .anyMatch(problem -> problem.toString().contains("unexpected state of the storage"));
    } finally {
      SERVERS.proxy().failNone();
    }
  }

  private static List<Problem> problems(TaskConfig config) throws InterruptedException {
    return RepeatedChecks.of(TaskContext.of(config), any -> false).problems();
  }

  private TaskConfig config(String database) throws Exception {
    SERVERS.createDatabase(database);
    SERVERS.onSource(database, TABLES);
    SERVERS.onTarget(database, TABLES);
    return SERVERS
        .task(folder.resolve(database), database)
        .settings("{FullLoadSettings: {TargetTablePrepMode: DO_NOTHING}}")
        .config();
  }
}
