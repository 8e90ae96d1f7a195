package dev.sluice.connector.postgres.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.postgres.load.MadeCode;
import dev.sluice.connector.postgres.server.SqlLiteral;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Collects the objects that definitions need on the target: schemas, extensions, types, functions
 * and collations, each once and after its own prerequisites. They keep their schema on the target.
 * Owned by the thread that reads the definitions.
 */
final class Prerequisites {

  /** Objects below this oid come with every server. */
  private static final long FIRST_OWN_OID = 16384;

  private static final String EXTENSION_OF_TYPE =
      """
      SELECT e.extname, n.nspname
      FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
      JOIN pg_namespace n ON n.oid = e.extnamespace
      WHERE d.classid = 'pg_type'::regclass AND d.objid = ?::int8::oid
        AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
      """;

  /** The objects that a definition uses, each with its extension, if it belongs to one. */
  private static final String NEEDED_BY =
      """
      SELECT DISTINCT d.refclassid::regclass::text, d.refobjid::int8, e.extname, n.nspname
      FROM pg_depend d
      LEFT JOIN pg_depend x ON x.classid = d.refclassid AND x.objid = d.refobjid
        AND x.refclassid = 'pg_extension'::regclass AND x.deptype = 'e'
      LEFT JOIN pg_extension e ON e.oid = x.refobjid
      LEFT JOIN pg_namespace n ON n.oid = e.extnamespace
      WHERE d.classid = '%s'::regclass AND d.objid = ?::int8::oid AND d.deptype IN ('n', 'a')
      ORDER BY 1, 2
      """;

  private static final String ROW_OF_TABLE =
      """
      SELECT 1 FROM pg_type t JOIN pg_class c ON c.oid = t.typrelid AND c.relkind <> 'c'
      WHERE t.oid = ?::int8::oid
      """;

  private static final String AS_OWNER =
      "SELECT 1 FROM pg_proc WHERE oid = ?::int8::oid AND prosecdef";

  private static final String DEFAULTS =
      "SELECT oid::int8 FROM pg_attrdef WHERE adrelid = ?::int8::oid";

  private final CatalogRows catalog;
  private final CollationDefinitions collations;
  private final FunctionDefinitions functions;
  private final TypeDefinitions types;
  private final MadeCode code;
  private final Set<String> seen = new HashSet<>();
  private final Map<String, DefinitionStatement> schemas = new LinkedHashMap<>();
  private final Map<String, DefinitionStatement> extensions = new LinkedHashMap<>();
  private final List<DefinitionStatement> objects = new ArrayList<>();

  Prerequisites(CatalogRows catalog, int targetMajorVersion) {
    this(catalog, targetMajorVersion, MadeCode.ALL);
  }

  /**
   * @param code which code is created; other code must be created by hand
   */
  Prerequisites(CatalogRows catalog, int targetMajorVersion, MadeCode code) {
    this.catalog = catalog;
    this.code = code;
    this.collations = new CollationDefinitions(catalog, this);
    this.functions = new FunctionDefinitions(catalog, this);
    this.types = new TypeDefinitions(catalog, targetMajorVersion, this);
  }

  void needSchema(String schema) {
    schemas.put(
        schema,
        new DefinitionStatement(
            "schema " + schema,
            "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = " + SqlLiteral.of(schema),
            "CREATE SCHEMA " + TableId.quote(schema)));
  }

  private void needExtension(String name, String schema) {
    if (!schema.equals("pg_catalog")) {
      needSchema(schema);
    }
    extensions.put(
        name,
        new DefinitionStatement(
            "extension " + name,
            "SELECT 1 FROM pg_catalog.pg_extension WHERE extname = " + SqlLiteral.of(name),
            "CREATE EXTENSION %s SCHEMA %s".formatted(TableId.quote(name), TableId.quote(schema))));
  }

  /** Adds what the expressions of a table's defaults use. */
  void needForDefaults(long tableOid) throws SQLException {
    for (String[] row : catalog.of(DEFAULTS, tableOid)) {
      needFor("pg_attrdef", Long.parseLong(row[0]));
    }
  }

  /**
   * Adds what an object's definition uses: functions, types, collations and extensions.
   *
   * @param catalogTable the catalog table of the object
   */
  void needFor(String catalogTable, long oid) throws SQLException {
    for (String[] needed : catalog.of(NEEDED_BY.formatted(catalogTable), oid)) {
      long object = Long.parseLong(needed[1]);
      if (needed[2] != null) {
        if (object >= FIRST_OWN_OID) {
          needExtension(needed[2], needed[3]);
        }
        continue;
      }
      switch (needed[0]) {
        case "pg_proc" -> needFunction(object);
        case "pg_type" -> {
          if (catalog.of(ROW_OF_TABLE, object).isEmpty()) {
            needType(object);
          }
        }
        case "pg_collation" -> needCollation(object);
        default -> {}
      }
    }
  }

  /** Adds a collation that a user created. */
  void needCollation(long oid) throws SQLException {
    if (isFirst("collation", oid)) {
      collations.of(oid).ifPresent(objects::add);
    }
  }

  /** Adds a function that a user wrote. */
  private void needFunction(long oid) throws SQLException {
    if (!isFirst("function", oid)) {
      return;
    }
    Optional<String> refused = refused(oid);
    functions
        .of(oid)
        .map(made -> refused.map(why -> UnsafeCode.instead(made, why)).orElse(made))
        .ifPresent(objects::add);
  }

  private Optional<String> refused(long function) throws SQLException {
    return switch (code) {
      case ALL -> Optional.empty();
      case OF_ITS_CALLER ->
          catalog.of(AS_OWNER, function).isEmpty()
              ? Optional.empty()
              : Optional.of("it is SECURITY DEFINER, and a user of the source wrote it");
      case NONE -> Optional.of("a user of the source wrote it");
    };
  }

  /** Adds a type of a user or an extension. */
  void needType(long oid) throws SQLException {
    if (!isFirst("type", oid)) {
      return;
    }
    List<String[]> extension = catalog.of(EXTENSION_OF_TYPE, oid);
    if (extension.isEmpty()) {
      types.of(oid).ifPresent(objects::add);
    } else {
      needExtension(extension.get(0)[0], extension.get(0)[1]);
    }
  }

  /** Whether domains are created also if their checks use unsafe functions. */
  boolean makesAnyDomain() {
    return code != MadeCode.NONE;
  }

  private boolean isFirst(String kind, long oid) {
    return oid >= FIRST_OWN_OID && seen.add(kind + " " + oid);
  }

  /** The statements, in an order in which they can be run. */
  List<DefinitionStatement> statements() {
    List<DefinitionStatement> all = new ArrayList<>(schemas.values());
    all.addAll(extensions.values());
    all.addAll(objects);
    return all;
  }
}
