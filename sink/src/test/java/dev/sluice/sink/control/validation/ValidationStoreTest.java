package dev.sluice.sink.control.validation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.Checkpoint.SourceServer;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.validation.ValidationStore.Outcome;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TestTarget;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What was proven is stored durably, and only by the daemon that has the task. */
class ValidationStoreTest {
  private static final String CONTROL = "sluice_control";
  private static final Outcome PROVEN =
      new Outcome(TableCoverage.none(new TableId("public", "item"), "shape"), List.of(), List.of());

  @RegisterExtension static final TestTarget TARGET = new TestTarget();

  @Test
  void whatASessionHasFoundIsCommittedDurablyWhateverTheDatabaseSays() throws SQLException {
    Checkpoint claimed = claim("durable");
    execute(
        "ALTER DATABASE postgres SET synchronous_commit = off",
        "CREATE TABLE public.seen (setting text)",
        "CREATE FUNCTION public.see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.seen"
            + " VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$",
        "CREATE TRIGGER see AFTER INSERT ON sluice_control.validation_table"
            + " EXECUTE FUNCTION public.see()",
        "ALTER TABLE sluice_control.validation_table ENABLE ALWAYS TRIGGER see");
    store("durable").store(claimed, List.of(PROVEN));
    assertThat(text("SELECT string_agg(setting, ',') FROM public.seen")).isEqualTo("on");
  }

  @Test
  void aDaemonThatHasLostTheTaskStoresNothing() {
    Checkpoint lost = claim("lost");
    claim("lost");
    assertThatThrownBy(() -> store("lost").store(lost, List.of(PROVEN)))
        .isInstanceOf(SluiceException.Fenced.class);
    assertThat(store("lost").coverage()).isEmpty();
  }

  @Test
  void whatWasReadOnAnotherTimelineOrOfAnotherServerDoesNotCount() {
    TableId table = new TableId("public", "item");
    TableCoverage read =
        TableCoverage.none(table, "shape")
            .read(new Position(100), 2, Optional.empty(), Instant.EPOCH)
            .read(new Position(200), 1, Optional.of("next"), Instant.EPOCH);
    Checkpoint first =
        claim("timeline").startingAt(new Position(1), 0, "topic", new SourceServer("7", 1));
    checkpoints().write(first);
    store("timeline").store(first, List.of(new Outcome(read, List.of(), List.of())));
    assertThat(store("timeline").coverage()).containsEntry(table, read);

    for (SourceServer other : List.of(new SourceServer("7", 2), new SourceServer("8", 1))) {
      checkpoints().write(first.ofSource(other));
      assertThat(store("timeline").coverage())
          .as(other.toString())
          .containsEntry(table, TableCoverage.none(table, "shape"));
    }
    checkpoints().write(first);
    assertThat(store("timeline").coverage()).containsEntry(table, read);
  }

  @Test
  void aResyncForgetsWhatWasReadOfAllTablesOfItsTask() throws SQLException {
    TableId table = new TableId("public", "item");
    TableCoverage read =
        TableCoverage.none(table, "shape")
            .read(new Position(100), 2, Optional.empty(), Instant.EPOCH)
            .read(new Position(200), 1, Optional.of("next"), Instant.EPOCH);
    for (String task : List.of("again", "another")) {
      store(task).store(claim(task), List.of(new Outcome(read, List.of(), List.of())));
    }
    try (TargetConnection connection = TARGET.server().connect()) {
      store("again").forgetPasses(connection);
      connection.jdbc().commit();
    }
    assertThat(store("again").coverage()).containsEntry(table, TableCoverage.none(table, "shape"));
    assertThat(store("another").coverage()).containsEntry(table, read);
  }

  private static CheckpointStore checkpoints() {
    return new CheckpointStore(TARGET.server(), CONTROL);
  }

  private static Checkpoint claim(String task) {
    CheckpointStore checkpoints = new CheckpointStore(TARGET.server(), CONTROL);
    checkpoints.create();
    return checkpoints.claim(task);
  }

  private static ValidationStore store(String task) {
    return new ValidationStore(TARGET.server(), CONTROL, task);
  }

  private static void execute(String... statements) throws SQLException {
    try (TargetConnection connection = TARGET.server().connect();
        Statement statement = connection.jdbc().createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
      connection.jdbc().commit();
    }
  }

  private static String text(String query) throws SQLException {
    try (TargetConnection connection = TARGET.server().connect();
        Statement statement = connection.jdbc().createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }
}
