package dev.sluice.connector.postgres.ddl;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.ColumnDefinition.Filling;
import dev.sluice.connector.api.ddl.ColumnDefinition.Sequence;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.ddl.TableDefinition.Checked;
import dev.sluice.connector.api.ddl.TableDefinition.Parent;
import dev.sluice.connector.api.ddl.TableDefinition.Partition;
import dev.sluice.connector.api.ddl.TableDefinition.PrimaryKey;
import dev.sluice.connector.postgres.capture.SourceTable;
import java.util.ArrayList;
import java.util.List;

/** Parses the JSON definitions that the event triggers write. Stateless. */
final class DefinitionJson {
  private static final ObjectMapper JSON = new ObjectMapper();

  private DefinitionJson() {}

  static JsonNode parse(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new SluiceException.Fatal("a report of the event triggers is no JSON: " + text, e);
    }
  }

  /** Parses a definition; null for JSON null. */
  static TableDefinition definition(JsonNode node) {
    if (isNull(node)) {
      return null;
    }
    List<ColumnDefinition> columns = new ArrayList<>();
    node.path("columns").forEach(column -> columns.add(column(column)));
    List<Parent> parents = new ArrayList<>();
    node.path("parents")
        .forEach(
            parent -> parents.add(new Parent(parent.path("relation").asLong(), table(parent))));
    return new TableDefinition(
        table(node),
        text(node, "partitionedBy"),
        partition(node),
        key(node.path("key")),
        columns,
        parents);
  }

  /**
   * Parses a definition into the capture's form.
   *
   * @param followed whether the task replicates the table
   */
  static SourceTable forCapture(JsonNode node, boolean followed) {
    List<Integer> key = new ArrayList<>();
    node.path("journalKey").forEach(number -> key.add(number.asInt()));
    List<Column> columns = new ArrayList<>();
    for (JsonNode column : node.path("columns")) {
      if (isNull(column.path("generated"))) {
        columns.add(
            new Column(
                column.path("name").asText(),
                column.path("type").asText(),
                !column.path("notNull").asBoolean(),
                key.contains(column.path("number").asInt())));
      }
    }
    Partition partition = partition(node);
    return new SourceTable(
        table(node),
        table(node.path("root")),
        columns,
        node.path("wholeRows").asBoolean(),
        partition == null ? null : partition.condition(),
        followed);
  }

  static TableId table(JsonNode node) {
    return new TableId(node.path("schema").asText(), node.path("name").asText());
  }

  private static PrimaryKey key(JsonNode node) {
    List<Integer> columns = new ArrayList<>();
    node.path("columns").forEach(number -> columns.add(number.asInt()));
    String checked = text(node, "checked");
    return new PrimaryKey(columns, checked == null ? Checked.AT_ONCE : Checked.valueOf(checked));
  }

  private static Partition partition(JsonNode definition) {
    JsonNode node = definition.path("partition");
    return isNull(node)
        ? null
        : new Partition(
            table(node),
            table(definition.path("root")),
            node.path("bound").asText(),
            text(node, "condition"));
  }

  private static ColumnDefinition column(JsonNode node) {
    JsonNode sequence = node.path("sequence");
    return new ColumnDefinition(
        node.path("number").asInt(),
        node.path("name").asText(),
        node.path("type").asText(),
        node.path("typeNumber").asText() + "/" + node.path("modifier").asText(),
        text(node, "collation"),
        node.path("notNull").asBoolean(),
        filling(node),
        text(node, "default"),
        text(node, "existing"),
        isNull(sequence)
            ? null
            : new Sequence(
                table(sequence),
                sequence.path("options").asText(),
                sequence.path("plain").asBoolean(),
                sequence.path("owned").asBoolean()));
  }

  private static Filling filling(JsonNode node) {
    if (!isNull(node.path("generated"))) {
      return node.path("generated").asText().equals("v")
          ? Filling.GENERATED_VIRTUAL
          : Filling.GENERATED_STORED;
    }
    if (!isNull(node.path("identity"))) {
      return node.path("identity").asText().equals("a")
          ? Filling.IDENTITY_ALWAYS
          : Filling.IDENTITY_BY_DEFAULT;
    }
    return Filling.DEFAULT;
  }

  private static String text(JsonNode node, String field) {
    return isNull(node.path(field)) ? null : node.path(field).asText();
  }

  private static boolean isNull(JsonNode node) {
    return node.isMissingNode() || node.isNull();
  }
}
