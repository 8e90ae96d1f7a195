package dev.sluice.connector.postgres.ddl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.postgres.definition.RequiredTypes;
import dev.sluice.connector.postgres.server.SourceFailures;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
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
 * Turns the event triggers' reports into definition changes of one task. Owned by the capture's
 * thread.
 */
public final class DefinitionReports {
  private static final Logger LOG = LoggerFactory.getLogger(DefinitionReports.class);

  private static final int FORMAT = 2;
  private static final String REFUSED = "refused: ";

  private static final String REPORT =
      "SELECT pg_catalog.to_regclass('sluice_ddl.report')::pg_catalog.oid::int8";

  private static final String FOLLOWED =
      "SELECT FROM sluice_ddl.followed WHERE task = ? AND relation = ?";

  private static final String UNSEEN =
      "it was altered by a transaction that is older than the task's registration with the event triggers, and did not see the task";

  private final SourceServer server;
  private final String task;
  private int relation;

  public DefinitionReports(SourceServer server, String task) {
    this.server = server;
    this.task = task;
  }

  /**
   * Decodes a report; empty if it concerns no table of the task.
   *
   * @param from the oid of the table that has the report
   * @throws SluiceException.Retryable if that is no longer the event triggers' table
   */
  public Optional<Definition> read(int from, String report) {
    requireOurs(from);
    JsonNode message = DefinitionJson.parse(report);
    if (message.path("format").asInt() != FORMAT) {
      throw new SluiceException.Fatal(
          "a report of the event triggers has format %s; expected format %d; run sluice run to install this release's triggers"
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
    boolean unseen = message.has("seen") && !sees(message.path("seen"));
    for (JsonNode change : message.path("changes")) {
      String decision =
          unseen && isFollowed(change) ? UNSEEN : change.path("tasks").path(task).asText("");
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
      // Without a query: a report on tables that the task does not replicate needs no types.
      return Optional.empty();
    }
    Map<String, String> settings = new LinkedHashMap<>();
    message
        .path("settings")
        .properties()
        .forEach(setting -> settings.put(setting.getKey(), setting.getValue().asText()));
    try (Connection connection = server.borrow()) {
      ReportTransaction.await(connection, message.path("transaction").asText(""));
      return Optional.of(
          new Definition(
              new DefinitionChanges(
                  command,
                  message.path("plainCasts").asBoolean(),
                  settings,
                  RequiredTypes.of(connection, types),
                  changes)));
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the types of altered tables", e);
    }
  }

  private boolean sees(JsonNode tasks) {
    for (JsonNode seen : tasks) {
      if (seen.asText().equals(task)) {
        return true;
      }
    }
    return false;
  }

  /** Whether the task replicates the altered table, by its old or its new definition. */
  private boolean isFollowed(JsonNode change) {
    try (Connection connection = server.borrow();
        PreparedStatement statement = connection.prepareStatement(FOLLOWED)) {
      for (String side : List.of("before", "after")) {
        statement.setString(1, task);
        statement.setLong(2, change.path(side).path("root").path("relation").asLong());
        try (ResultSet row = statement.executeQuery()) {
          if (row.next()) {
            return true;
          }
        }
      }
      return false;
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the event triggers' replicated tables", e);
    }
  }

  /** A table that had this name earlier, or before the installation, may belong to another role. */
  private void requireOurs(int from) {
    if (relation == 0) {
      try (Connection connection = server.borrow();
          Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery(REPORT)) {
        row.next();
        relation = (int) row.getLong(1);
      } catch (SQLException e) {
        throw SourceFailures.classify("reading which table has the event triggers' reports", e);
      }
    }
    if (from != relation) {
      throw new SluiceException.Retryable(
          "the event triggers were removed from the source and installed again: the capture restarts with the new ones",
          null);
    }
  }

  private Optional<DefinitionChange> change(JsonNode change, String decision) {
    TableDefinition before = DefinitionJson.definition(change.path("before"));
    TableDefinition after = DefinitionJson.definition(change.path("after"));
    if (decision.isEmpty()) {
      return Optional.empty();
    }
    if (decision.startsWith(REFUSED)) {
      LOG.warn(
          "table {} is not replicated: {}", after.table(), decision.substring(REFUSED.length()));
      return Optional.empty();
    }
    if (decision.equals("ends")) {
      LOG.warn(
          "table {} is now {}, which no selection rule selects: it is no longer replicated, and stays on the target as it is",
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
