package dev.sluice.connector.postgres.ddl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.SluiceException;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.postgres.SourceFailures;
import dev.sluice.connector.postgres.SourceServer;
import dev.sluice.connector.postgres.load.NeededTypes;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes changes of what the event triggers put into the log, for one task. Owned by the capture's
 * thread.
 */
public final class DefinitionMessages {
  private static final Logger LOG = LoggerFactory.getLogger(DefinitionMessages.class);

  private static final int FORMAT = 1;
  private static final String REFUSED = "refused: ";

  private final SourceServer server;
  private final String task;

  public DefinitionMessages(SourceServer server, String task) {
    this.server = server;
    this.task = task;
  }

  /** The change that a message stands for; empty where it concerns no table of the task. */
  public Optional<Definition> read(byte[] content) {
    JsonNode message = DefinitionJson.parse(new String(content, StandardCharsets.UTF_8));
    if (message.path("format").asInt() != FORMAT) {
      throw new SluiceException.Fatal(
          "a message of the event triggers is of format %s, this release reads format %d; let sluice run install its own triggers"
              .formatted(message.path("format"), FORMAT),
          null);
    }
    String command = message.path("command").asText();
    if (message.hasNonNull("failed")) {
      LOG.warn(
          "a statement on the source, {}, could not be described and is not replicated: {}",
          command,
          message.path("failed").asText());
    }
    List<DefinitionChange> changes = new ArrayList<>();
    Set<Long> types = new LinkedHashSet<>();
    for (JsonNode change : message.path("changes")) {
      String decision = change.path("tasks").path(task).asText("");
      change(change, decision)
          .ifPresent(
              found -> {
                changes.add(found);
                change
                    .path("after")
                    .path("columns")
                    .forEach(column -> types.add(column.path("typeNumber").asLong()));
              });
    }
    if (changes.isEmpty()) {
      // Nothing is looked up for it: what the task does not follow is not described.
      return Optional.empty();
    }
    Map<String, String> settings = new LinkedHashMap<>();
    message
        .path("settings")
        .properties()
        .forEach(setting -> settings.put(setting.getKey(), setting.getValue().asText()));
    try (Connection connection = server.open()) {
      CommittedTransaction.await(connection, message.path("transaction").asText(""));
      return Optional.of(
          new Definition(
              new DefinitionChanges(
                  command,
                  message.path("plainCasts").asBoolean(),
                  settings,
                  NeededTypes.of(connection, types),
                  changes)));
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the types of altered tables", e);
    }
  }

  private Optional<DefinitionChange> change(JsonNode change, String decision) {
    TableDefinition before = DefinitionJson.definition(change.path("before"));
    TableDefinition after = DefinitionJson.definition(change.path("after"));
    if (decision.isEmpty()) {
      return Optional.empty();
    }
    if (decision.startsWith(REFUSED)) {
      LOG.warn("table {} is not followed: {}", after.table(), decision.substring(REFUSED.length()));
      return Optional.empty();
    }
    if (decision.equals("ends")) {
      LOG.warn(
          "table {} is now {}, which the selection rules leave out: it is not followed any more, and stays on the target as it is",
          before.table(),
          after.table());
      return Optional.empty();
    }
    boolean known = decision.equals("follows") || decision.equals("begins");
    return Optional.of(
        new DefinitionChange(
            before,
            after,
            decision.equals("begins"),
            change.path("rewritten").asBoolean(),
            known ? null : decision));
  }
}
