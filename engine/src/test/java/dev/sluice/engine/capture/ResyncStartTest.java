package dev.sluice.engine.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.daemon.DdlTask;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.validation.TableCoverage;
import dev.sluice.sink.control.validation.ValidationStore;
import dev.sluice.sink.control.validation.ValidationStore.Outcome;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The first step of a resync, on a real target. */
class ResyncStartTest {
  private static final TableCoverage READ =
      TableCoverage.none(new TableId("public", "item"), "shape")
          .read(new Position(100), 2, Optional.empty(), Instant.EPOCH);

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void whatWasReadBeforeAResyncDoesNotCountUnlessTheTaskIsLost() throws Exception {
    DdlTask task = DdlTask.make(folder, "again", SERVERS.source(), SERVERS.target(), "");
    TaskContext context = TaskContext.of(task.config());
    context.checkpoints().create();
    Checkpoint lost = context.claim().next();
    Checkpoint claimed = context.claim().next();
    ValidationStore store =
        new ValidationStore(context.target(), context.controlSchema(), context.task());
    store.store(claimed, List.of(new Outcome(READ, List.of(), List.of())));

    assertThatThrownBy(() -> new ResyncStart(context).forgetProgress(lost))
        .isInstanceOf(SluiceException.Fenced.class);
    assertThat(store.coverage()).containsEntry(READ.table(), READ);

    new ResyncStart(context).forgetProgress(claimed);
    assertThat(store.coverage())
        .containsEntry(READ.table(), TableCoverage.none(READ.table(), "shape"));
  }
}
