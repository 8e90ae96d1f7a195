package dev.sluice.engine.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalBrokerTest {

  @Test
  void noOtherUserCanReadTheEmbeddedBrokersFilesOrConnectToIt(@TempDir Path data) throws Exception {
    Path directory = Files.createDirectory(JournalBroker.directory(data));
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (JournalBroker broker = JournalBroker.open(Optional.empty(), data);
        Admin admin = Admin.create(Map.copyOf(broker.client()))) {
      admin.createTopics(List.of(new NewTopic("journal", 1, (short) 1))).all().get();
      assertThat(permissions(directory)).isEqualTo("rwx------");
      assertThat(broker.client()).containsEntry("security.protocol", "SASL_PLAINTEXT");
    }
  }

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
