package dev.sluice.engine.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.daemon.DdlTask;
import dev.sluice.sink.control.schema.Checkpoint;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What keeps a task's log, on real servers. */
class TaskRetentionTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  /** It wakes up before its first statement on the target that would tell it. */
  @Test
  void aDaemonWhoseTaskALaterOneHasClaimedDropsNothing() throws Exception {
    DdlTask task = DdlTask.make(folder, "fenced", SERVERS.source(), SERVERS.target(), "");
    TaskContext context = TaskContext.of(task.config());
    context.checkpoints().create();
    context.ownership().begin(context.source());
    Checkpoint lost = context.claim().next();
    Checkpoint claimed = context.claim().next();
    TaskRetention retention = new TaskRetention(context);
    retention.make(claimed, PATIENCE).close();
    try {
      assertThatThrownBy(() -> retention.drop(lost)).isInstanceOf(SluiceException.Fenced.class);
      assertThatThrownBy(() -> retention.make(lost, PATIENCE))
          .isInstanceOf(SluiceException.Fenced.class);
      assertThat(context.source().retention().state()).isPresent();
    } finally {
      assertThat(retention.drop(claimed)).isTrue();
    }
    assertThat(context.source().retention().state()).isEmpty();
  }
}
