package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.command.CommandLines;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A removal with a task file whose source was edited, or with an edited copy of it. */
@ExtendWith(SharedBroker.class)
class RemovalFromAnotherSourceTest {
  private static final String SLOTS =
      "SELECT count(*) FROM pg_replication_slots WHERE database = current_database()";

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void nothingIsRemovedUntilTheFileNamesTheTasksSource() throws Exception {
    DdlTask task =
        DdlTask.make(
            folder,
            "edited",
            SERVERS.source(),
            SERVERS.target(),
            "ValidationSettings: { EnableValidation: false }");
    RunningDaemon.replicating(task.config()).close();
    String file = Files.readString(task.file());
    String source = "127.0.0.1:%d/".formatted(SERVERS.source().port());
    Files.writeString(task.file(), file.replace(source + "edited", source + "postgres"));

    assertThatThrownBy(() -> task.remove())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("database edited of system")
        .hasMessageContaining("Nothing is removed. Name that source again");
    assertThat(CommandLines.run("stop", task.file().toString(), "--drop")).isNotZero();
    assertThat(task.source(SLOTS)).isEqualTo("1");
    assertThat(task.target("SELECT count(*) FROM sluice_control.task_identity")).isEqualTo("1");

    Files.writeString(task.file(), file);
    RunningDaemon.replicating(task.config()).close();
    assertThat(CommandLines.run("stop", task.file().toString(), "--drop")).isZero();
    assertThat(task.source(SLOTS)).isEqualTo("0");
  }
}
