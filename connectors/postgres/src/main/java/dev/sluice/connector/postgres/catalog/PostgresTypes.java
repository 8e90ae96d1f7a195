package dev.sluice.connector.postgres.catalog;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.catalog.TypeCatalog;
import dev.sluice.connector.api.source.catalog.TypeServer;
import dev.sluice.connector.api.source.catalog.TypeTree;
import dev.sluice.connector.postgres.server.SourceErrors;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the complete types of columns from the catalog of source or target. Owned by the thread
 * that owns the connection.
 */
public final class PostgresTypes implements TypeCatalog {
  private static final String COLUMNS =
      """
      SELECT n.nspname, c.relname, a.attname, a.atttypid::int8, a.atttypmod
      FROM pg_attribute a
      JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p', 'v', 'm')
      JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname <> 'pg_catalog'
      WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
      ORDER BY a.attrelid, a.attnum
      """;

  /* An array is the type that another names as its array: int2vector only looks like one. */
  private static final String TYPE =
      """
      SELECT t.typtype, n.nspname, t.typname, format_type(t.oid, ?::int4),
             t.typbasetype::int8, t.typtypmod, t.typnotnull,
             (SELECT e.oid::int8 FROM pg_type e WHERE e.typarray = t.oid),
             (SELECT relkind FROM pg_class WHERE oid = t.typrelid),
             (SELECT e.extname FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
              WHERE d.classid = 'pg_type'::regclass AND d.objid = t.oid
                AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'),
             t.oid < 16384
      FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
      WHERE t.oid = ?::int8::oid
      """;

  private static final String BY_NAME =
      """
      SELECT t.oid::int8 FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
      WHERE n.nspname = ?::text AND t.typname = ?::text
      """;

  private static final String LABELS =
      "SELECT enumlabel FROM pg_enum WHERE enumtypid = ?::int8::oid ORDER BY enumsortorder";

  private static final String CHECKS =
      """
      SELECT pg_get_constraintdef(oid) FROM pg_constraint
      WHERE contypid = ?::int8::oid AND contype = 'c' ORDER BY 1
      """;

  private static final String ATTRIBUTES =
      """
      SELECT a.attname, a.atttypid::int8, a.atttypmod
      FROM pg_type t JOIN pg_attribute a ON a.attrelid = t.typrelid
      WHERE t.oid = ?::int8::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
      """;

  /* Multiranges came with PostgreSQL 14: before, the column is not there to be named. */
  private static final String RANGE =
      """
      SELECT r.rngsubtype::int8, concat_ws(' ', o.opcname, c.collname), r.rngcanonical <> 0
      FROM pg_range r JOIN pg_opclass o ON o.oid = r.rngsubopc
      LEFT JOIN pg_collation c ON c.oid = r.rngcollation
      WHERE ?::int8::oid IN (r.rngtypid, (to_jsonb(r) ->> 'rngmultitypid')::oid)
      """;

  private record Key(long oid, int modifier) {}

  private final Connection connection;
  private final boolean owned;
  private final Errors errors;
  private final Map<Key, TypeTree> known = new HashMap<>();

  private PostgresTypes(Connection connection, boolean owned, Errors errors) {
    this.connection = connection;
    this.owned = owned;
    this.errors = errors;
  }

  /** Says what an error of the server means. */
  public interface Errors {
    SluiceException classify(String attempted, SQLException error);
  }

  /** Reads over a session of its own. */
  public static PostgresTypes open(SourceServer server) {
    return new PostgresTypes(server.connect(), true, SourceErrors::classify);
  }

  /** Reads over a session of another server, which its owner closes. */
  public static PostgresTypes over(Connection connection, Errors errors) {
    return new PostgresTypes(connection, false, errors);
  }

  /** In automatic commit or a transaction of its own; pinned settings stay as they are. */
  @Override
  public TypeServer server() {
    try {
      return TypeFacts.of(connection);
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  @Override
  public void close() {
    if (!owned) {
      return;
    }
    try {
      connection.close();
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  private SluiceException failed(SQLException error) {
    return errors.classify("compare the columns' types", error);
  }

  @Override
  public Map<TableId, Map<String, TypeTree>> of(Set<TableId> tables) {
    try {
      return read(tables);
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  private Map<TableId, Map<String, TypeTree>> read(Set<TableId> tables) throws SQLException {
    Map<TableId, Map<String, TypeTree>> types = new LinkedHashMap<>();
    for (List<String> row : rows(COLUMNS, 5)) {
      TableId table = new TableId(row.get(0), row.get(1));
      if (tables.contains(table)) {
        types
            .computeIfAbsent(table, name -> new LinkedHashMap<>())
            .put(row.get(2), type(Long.parseLong(row.get(3)), Integer.parseInt(row.get(4))));
      }
    }
    return types;
  }

  @Override
  public Optional<TypeTree> named(TableId name) {
    try {
      List<List<String>> found = rows(BY_NAME, 1, name.schema(), name.name());
      return found.isEmpty()
          ? Optional.empty()
          : Optional.of(type(Long.parseLong(found.get(0).get(0)), -1));
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  private TypeTree type(long oid, int modifier) throws SQLException {
    Key key = new Key(oid, modifier);
    TypeTree type = known.get(key);
    if (type == null) {
      type = read(oid, modifier);
      known.put(key, type);
    }
    return type;
  }

  private TypeTree read(long oid, int modifier) throws SQLException {
    List<String> row = rows(TYPE, 11, modifier, oid).get(0);
    TableId name = new TableId(row.get(1), row.get(2));
    String printed = row.get(3);
    Optional<String> extension = Optional.ofNullable(row.get(9));
    boolean builtIn = row.get(10).equals("t");
    if (row.get(7) != null) {
      return new TypeTree.ArrayOf(type(Long.parseLong(row.get(7)), modifier), printed);
    }
    return switch (row.get(0)) {
      case "e" -> new TypeTree.Enumeration(name, firsts(LABELS, oid), printed);
      case "c" -> new TypeTree.Composite(name, attributes(oid), !"c".equals(row.get(8)), printed);
      case "d" -> {
        List<String> constraints = new ArrayList<>(firsts(CHECKS, oid));
        if (row.get(6).equals("t")) {
          constraints.add("NOT NULL");
        }
        TypeTree under = type(Long.parseLong(row.get(4)), Integer.parseInt(row.get(5)));
        yield new TypeTree.Domain(name, extension, builtIn, under, constraints, printed);
      }
      case "r", "m" -> {
        List<String> range = rows(RANGE, 3, oid).get(0);
        yield new TypeTree.Range(
            name,
            builtIn,
            row.get(0).equals("m"),
            type(Long.parseLong(range.get(0)), -1),
            range.get(1),
            range.get(2).equals("t"),
            printed);
      }
      default -> new TypeTree.Base(name, extension, builtIn, modifier, printed);
    };
  }

  private List<TypeTree.Attribute> attributes(long oid) throws SQLException {
    List<TypeTree.Attribute> attributes = new ArrayList<>();
    for (List<String> row : rows(ATTRIBUTES, 3, oid)) {
      attributes.add(
          new TypeTree.Attribute(
              row.get(0), type(Long.parseLong(row.get(1)), Integer.parseInt(row.get(2)))));
    }
    return attributes;
  }

  private List<String> firsts(String sql, long oid) throws SQLException {
    return rows(sql, 1, oid).stream().map(row -> row.get(0)).toList();
  }

  private List<List<String>> rows(String sql, int columns, Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setObject(i + 1, parameters[i]);
      }
      try (ResultSet result = statement.executeQuery()) {
        List<List<String>> rows = new ArrayList<>();
        while (result.next()) {
          List<String> row = new ArrayList<>();
          for (int i = 1; i <= columns; i++) {
            row.add(result.getString(i));
          }
          rows.add(row);
        }
        return rows;
      }
    }
  }
}
