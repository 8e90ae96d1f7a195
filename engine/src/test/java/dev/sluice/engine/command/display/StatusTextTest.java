package dev.sluice.engine.command.display;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.status.StatusJson;
import dev.sluice.engine.status.TaskStatus;
import org.junit.jupiter.api.Test;

class StatusTextTest {
  @Test
  void itSaysSinceWhenChangesAreCountedAndCountsOneAsOne() throws Exception {
    String text =
        new StatusText(
                StatusJson.read(
                    """
                        {"task": "orders", "started": "2026-11-21T10:00:00Z",
                         "backlog": {"changes": 1},
                         "tables": [{"schema": "shop", "table": "noted", "conflicts": 1}]}
                        """,
                    TaskStatus.class))
            .text();
    assertThat(text)
        .contains("since the daemon's start at 2026-11-21T10:00:00Z")
        .contains("1 change; memory")
        .contains("1 change, see sluice_apply_exceptions");
  }

  @Test
  void whatIsNotKnownIsADashAndNotZero() throws Exception {
    String text =
        new StatusText(
                StatusJson.read(
                    """
                        {"task": "orders", "latency": {"source_seconds": null},
                         "journal": {"embedded": true}, "source": {"position": "0/1"}}
                        """,
                    TaskStatus.class))
            .text();
    assertThat(text)
        .contains("source   0/1, 0 rows/s, - behind; the source keeps - of log")
        .contains("target   -, 0 rows/s, - behind")
        .contains("journal -");
  }

  @Test
  void itSaysWhatWasWrittenOnTheSourceAfterTheCutoverAndWhetherThatCanBeSeen() throws Exception {
    String text =
        new StatusText(
                StatusJson.read(
                    """
                        {"task": "orders", "cutover": {"result": "done", "step": "done"},
                         "source_watch": {"looked_at": "2026-11-21T10:00:00Z", "changes": 3,
                          "unwatched": "the slot is gone"}}
                        """,
                    TaskStatus.class))
            .text();
    assertThat(text)
        .contains("3 changes on the source since the cutover, checked at 2026-11-21T10:00:00Z")
        .contains("it cannot be watched at present: the slot is gone");
  }

  @Test
  void itListsTheTablesWithFindingsTheWorstFirstAndNoMoreThanTen() throws Exception {
    StringBuilder tables = new StringBuilder();
    for (int i = 1; i <= 12; i++) {
      tables.append(
          "{\"schema\": \"shop\", \"table\": \"t%d\", \"state\": \"Mismatched records\", \"failed\": %d},"
              .formatted(i, i));
    }
    String text =
        new StatusText(
                StatusJson.read(
                    """
                        {"task": "orders", "validation": {"tables": [
                         %s
                         {"schema": "shop", "table": "busy", "touched": 99},
                         {"schema": "shop", "table": "odd", "state": "Table error",
                          "problem": "no right to read it"}]}}
                        """
                        .formatted(tables),
                    TaskStatus.class))
            .text();
    assertThat(text)
        .containsSubsequence(
            "shop.t12: Mismatched records: 12 differ", "shop.t11: ", "shop.t3: ", "and 3 more")
        .doesNotContain("shop.t2: ")
        .doesNotContain("shop.busy");
  }

  @Test
  void itCountsCompletionStepsAndNamesTheRunningAndFailedOnes() throws Exception {
    String text =
        new StatusText(
                StatusJson.read(
                    """
                        {"task": "orders", "completion": [
                         {"kind": "index", "name": "shop.a", "state": "done", "seconds": 1.5},
                         {"kind": "index", "name": "shop.b", "state": "running", "seconds": 2.5},
                         {"kind": "index", "name": "shop.c", "state": "failed", "seconds": 0.1,
                          "detail": "is duplicated"},
                         {"kind": "analyze", "name": "shop.d", "state": "waiting"}]}
                        """,
                    TaskStatus.class))
            .text();
    assertThat(text)
        .contains("1 of 4 indexes, constraints and the like done, in 1.5 s of work")
        .contains("running: index shop.b, 2.5 s")
        .contains("failed: index shop.c, 0.1 s: is duplicated")
        .doesNotContain("shop.d");
  }
}
