package dev.sluice.connector.mariadb.capture.statement;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.ColumnDefinition.Filling;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.CatalogTable.OldRow;
import dev.sluice.connector.mariadb.server.SqlText;
import dev.sluice.connector.mariadb.type.PostgresType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Reads CREATE TABLE: columns and a primary key that are certain, and a refusal of everything else.
 * Used once, by one thread.
 */
public final class CreateText {
  private static final Set<String> WITH_IDENTITY = Set.of("smallint", "integer", "bigint");

  private static final Set<String> OF_INDEXES =
      Set.of("INDEX", "KEY", "UNIQUE", "FULLTEXT", "SPATIAL", "CHECK", "FOREIGN");

  private static final Set<String> OPTIONS =
      Set.of(
          "AUTO_INCREMENT",
          "CHARSET",
          "COLLATE",
          "COMMENT",
          "ENGINE",
          "KEY_BLOCK_SIZE",
          "ROW_FORMAT",
          "STATS_AUTO_RECALC",
          "STATS_PERSISTENT",
          "STATS_SAMPLE_PAGES");

  private final TableId table;
  private final LoggedStatement statement;
  private final List<Declared> columns = new ArrayList<>();
  private final List<String> key = new ArrayList<>();
  private boolean ofInnodb;
  private boolean characterSet;

  /**
   * A column.
   *
   * @param counts whether it is AUTO_INCREMENT
   * @param characterSet whether it has one by the statement, or needs none
   */
  private record Declared(ColumnText text, boolean counts, boolean characterSet) {
    boolean isNamed(String name) {
      return text.name().equalsIgnoreCase(name);
    }
  }

  private CreateText(TableId table, LoggedStatement statement) {
    this.table = table;
    this.statement = statement;
  }

  /**
   * @param table its exact name
   * @throws NotFollowed if anything is not certain
   */
  public static CreatedTable read(TableId table, LoggedStatement statement) throws NotFollowed {
    return new CreateText(table, statement).read();
  }

  private CreatedTable read() throws NotFollowed {
    if (!statement.exact()) {
      throw new NotFollowed("the statement has a character set that cannot be read");
    }
    statement.requirePlain();
    statement.run().mode().requireOrdinary();
    SqlWords words = new SqlWords(SqlTokens.of(statement));
    if (!words.accept("CREATE", "TABLE") && !words.accept("CREATE", "OR", "REPLACE", "TABLE")) {
      throw new NotFollowed("it begins with other words than CREATE TABLE");
    }
    words.accept("IF", "NOT", "EXISTS");
    words.name();
    if (words.accept(".")) {
      words.name();
    }
    if (!words.accept("(")) {
      throw new NotFollowed("it does not say its columns");
    }
    for (SqlWords part : words.inParentheses().divided()) {
      part(part);
    }
    while (!words.isAtEnd()) {
      option(words);
      words.accept(",");
    }
    return created();
  }

  private void part(SqlWords words) throws NotFollowed {
    if (words.accept("CONSTRAINT") && !words.next().equals("PRIMARY")) {
      words.name();
    }
    String first = words.next();
    if (first.equals("PRIMARY")) {
      key(words);
    } else if (OF_INDEXES.contains(first)) {
      throw indexed(first);
    } else if (first.equals("LIKE") || first.equals("PERIOD")) {
      throw new NotFollowed("it has " + first);
    } else {
      column(words);
    }
  }

  /** While changes are applied, the target gets no index and no constraint but the key. */
  private static NotFollowed indexed(String what) {
    return new NotFollowed(
        "it has %s beside its primary key, which only a load makes on the target".formatted(what));
  }

  private void column(SqlWords words) throws NotFollowed {
    boolean counts = words.remove("AUTO_INCREMENT");
    boolean primary = words.remove("PRIMARY", "KEY");
    for (String of : List.of("UNIQUE", "CHECK", "REFERENCES")) {
      if (words.contains(of)) {
        throw indexed(of);
      }
    }
    if (words.contains("UPDATE")) {
      throw new NotFollowed("a column changes by itself with ON UPDATE, which the target has not");
    }
    boolean characterSet =
        words.contains("COLLATE") || words.contains("CHARSET") || words.contains("CHARACTER");
    ColumnText column = ColumnText.read(table, words);
    requireShort(column.name());
    if (columns.stream().anyMatch(each -> each.isNamed(column.name()))) {
      throw new NotFollowed("two columns are named " + column.name());
    }
    if (column.dataType().equals("timestamp") && !column.isNull() && !column.notNull()) {
      throw new NotFollowed(
          "a TIMESTAMP without a word about NULL means different things on different servers");
    }
    if (counts && !WITH_IDENTITY.contains(column.mappedType())) {
      throw new NotFollowed("column " + column.name() + " counts in a type without an identity");
    }
    if (primary) {
      if (!key.isEmpty()) {
        throw new NotFollowed("it has two primary keys");
      }
      key.add(column.name());
    }
    columns.add(new Declared(column, counts, characterSet || !column.isText()));
  }

  private static void requireShort(String name) throws NotFollowed {
    if (name.getBytes(StandardCharsets.UTF_8).length > TableId.LONGEST_NAME) {
      throw new NotFollowed("the name %s is too long for PostgreSQL".formatted(name));
    }
  }

  private void key(SqlWords words) throws NotFollowed {
    if (!key.isEmpty() || !words.accept("PRIMARY", "KEY", "(")) {
      throw new NotFollowed("its primary key is declared in another way");
    }
    do {
      key.add(words.name().orElseThrow(() -> new NotFollowed("the primary key cannot be read")));
    } while (words.accept(","));
    if (!words.accept(")")) {
      throw new NotFollowed("the primary key has more than columns");
    }
    if (words.accept("USING")) {
      words.accept("BTREE");
    }
    if (!words.isAtEnd()) {
      throw new NotFollowed("the primary key has more than columns");
    }
  }

  private void option(SqlWords words) throws NotFollowed {
    if (words.accept("START", "TRANSACTION")) {
      return;
    }
    words.accept("DEFAULT");
    String option = words.accept("CHARACTER", "SET") ? "CHARSET" : words.next();
    if (!OPTIONS.contains(option)) {
      throw new NotFollowed("what %s means for it is not known here".formatted(option));
    }
    if (words.next().equals(option)) {
      words.skip(1);
    }
    words.accept("=");
    if (option.equals("ENGINE")) {
      requireInnodb(words);
    } else if (option.equals("CHARSET") || option.equals("COLLATE")) {
      String set = words.name().or(words::text).orElse("binary");
      if (set.equalsIgnoreCase("binary")) {
        throw new NotFollowed("its texts are bytes");
      }
      characterSet = true;
    } else {
      words.skip(1);
    }
  }

  private void requireInnodb(SqlWords words) throws NotFollowed {
    String engine = words.name().or(words::text).orElse("");
    if (!engine.equalsIgnoreCase("InnoDB")) {
      throw new NotFollowed("it has another engine than InnoDB");
    }
    ofInnodb = statement.run().mode().ownEngine();
  }

  private CreatedTable created() throws NotFollowed {
    requireShort(table.name());
    List<Integer> numbers = keyNumbers();
    Set<Integer> ofKey = new HashSet<>(numbers);
    List<CatalogColumn> described = new ArrayList<>();
    List<ColumnDefinition> defined = new ArrayList<>();
    for (Declared each : columns) {
      int number = defined.size() + 1;
      ColumnText text = each.text();
      boolean nullable = !ofKey.contains(number) && !each.counts() && !text.notNull();
      if (text.isNull() && !nullable) {
        throw new NotFollowed("column " + text.name() + " of the key is declared NULL");
      }
      described.add(
          new CatalogColumn(
              text.name(),
              text.mappedType(),
              nullable,
              ofKey.contains(number),
              false,
              each.counts()));
      defined.add(
          new ColumnDefinition(
              number,
              text.name(),
              text.mappedType(),
              PostgresType.ofSameKind(text.mappedType()),
              null,
              !nullable,
              each.counts() ? Filling.IDENTITY_BY_DEFAULT : Filling.DEFAULT,
              defaultOf(text),
              null,
              null));
    }
    return new CreatedTable(
        new CatalogTable(
            table,
            table,
            CatalogTable.Kind.ORDINARY,
            CatalogTable.Persistence.LOGGED,
            OldRow.PRIMARY_KEY,
            described,
            null,
            0,
            true,
            true,
            false),
        new TableDefinition(table, null, null, numbers, defined),
        ofInnodb,
        columns.stream()
            .filter(each -> !characterSet && !each.characterSet())
            .map(each -> each.text().name())
            .collect(Collectors.toSet()));
  }

  private List<Integer> keyNumbers() throws NotFollowed {
    if (key.isEmpty()) {
      throw new NotFollowed("it has no primary key");
    }
    List<Integer> numbers = new ArrayList<>();
    for (String name : key) {
      int number = 1;
      while (number <= columns.size() && !columns.get(number - 1).isNamed(name)) {
        number++;
      }
      if (number > columns.size() || numbers.contains(number)) {
        throw new NotFollowed("the primary key has a column that is not declared once");
      }
      numbers.add(number);
    }
    return numbers;
  }

  private String defaultOf(ColumnText column) throws NotFollowed {
    if (column.byDefault() instanceof ColumnText.Default.Now now) {
      return switch (column.dataType()) {
        case "timestamp" -> "CURRENT_TIMESTAMP(" + now.fraction() + ")";
        case "datetime" -> "LOCALTIMESTAMP(" + now.fraction() + ")";
        default ->
            throw new NotFollowed("the default of column " + column.name() + " is not known here");
      };
    }
    return column.byDefault() instanceof ColumnText.Default.Constant constant
            && constant.text() != null
        ? SqlText.of(OlderRows.valueOf(column, statement.run().seconds()))
        : null;
  }
}
