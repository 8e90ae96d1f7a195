package dev.sluice.engine.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.journal.Journal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerStartTest {
  private static final JournalTopics TOPICS = JournalTopics.ofTask("begun");

  @TempDir Path folder;

  @Test
  void aBrokerThatNobodyTakesIsStopped() throws Exception {
    TaskConfig config = task("full-load-and-cdc");
    makeJournal(config);
    BrokerStart.begin(config, TOPICS).close();
    // A broker that still ran would hold the lock of its directory.
    try (JournalBroker next = JournalBroker.open(Optional.empty(), config.dataDir())) {
      assertThat(next.isThere()).isTrue();
    }
  }

  @Test
  void aBrokerThatIsTakenIsTheTakersToClose() throws Exception {
    TaskConfig config = task("full-load-and-cdc");
    makeJournal(config);
    JournalBroker taken;
    try (BrokerStart start = BrokerStart.begin(config, TOPICS)) {
      taken = start.take();
    }
    try (taken;
        Journal journal = new Journal(taken.client(), TOPICS)) {
      assertThat(journal.topicId()).isPresent();
    }
  }

  @Test
  void aDirectoryWithoutAJournalIsLeftAsItIsUntilTheBrokerIsTaken() throws Exception {
    TaskConfig config = task("full-load-and-cdc");
    BrokerStart.begin(config, TOPICS).close();
    assertThat(config.dataDir()).doesNotExist();
  }

  @Test
  void aTaskThatCapturesNoChangesHasNoBroker() throws Exception {
    TaskConfig config = task("full-load");
    try (BrokerStart start = BrokerStart.begin(config, TOPICS);
        JournalBroker none = start.take()) {
      assertThat(none.isThere()).isFalse();
    }
    assertThat(config.dataDir()).doesNotExist();
  }

  private static void makeJournal(TaskConfig config) {
    try (JournalBroker broker = JournalBroker.open(Optional.empty(), config.dataDir());
        Journal journal = new Journal(broker.client(), TOPICS)) {
      journal.create();
    }
  }

  private TaskConfig task(String type) throws IOException {
    return TaskFile.read(
        Files.writeString(
            folder.resolve("task.yaml"),
            """
            task: begun
            migration-type: %s
            source: { type: postgresql, url: "postgresql://nobody@127.0.0.1:1/none", password: none }
            target: { type: postgresql, url: "postgresql://nobody@127.0.0.1:1/other", password: none }
            data-dir: %s
            http: 127.0.0.1:0
            table-mappings:
              rules:
                - { rule-type: selection, rule-id: "1", rule-name: all, rule-action: include,
                    object-locator: { schema-name: public, table-name: "%%" } }
            """
                .formatted(type, folder.resolve("data"))));
  }
}
