package dev.sluice.connector.postgres.load;

import dev.sluice.config.Problem;
import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.DefinitionStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Collects the schemas, extensions, types, functions and collations that definitions need on the
 * target, each once and after what it needs itself. They keep their schema on the target. Owned by
 * the thread that reads the definitions.
 */
final class TypeDefinitions {

  /** Objects below this oid come with every server. */
  private static final long FIRST_OWN_OID = 16384;

  private static final int FIRST_WITH_MULTIRANGES = 14;

  private static final String TYPE =
      """
      SELECT t.typtype, n.nspname, t.typname,
             CASE WHEN t.typcategory = 'A' AND t.typtype = 'b' THEN t.typelem::int8 ELSE 0 END,
             t.typbasetype::int8, format_type(t.typbasetype, t.typtypmod), t.typnotnull,
             pg_get_expr(t.typdefaultbin, 0),
             (SELECT format('%I.%I', cn.nspname, c.collname)
              FROM pg_collation c JOIN pg_namespace cn ON cn.oid = c.collnamespace,
                   pg_type b
              WHERE b.oid = t.typbasetype AND c.oid = t.typcollation
                AND t.typcollation <> b.typcollation),
             (SELECT relkind FROM pg_class WHERE oid = t.typrelid)
      FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.oid = ?::int8::oid
      """;

  private static final String EXTENSION_OF_TYPE =
      """
      SELECT e.extname, n.nspname
      FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
      JOIN pg_namespace n ON n.oid = e.extnamespace
      WHERE d.classid = 'pg_type'::regclass AND d.objid = ?::int8::oid
        AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
      """;

  /** What an object's definition names, and the extension that brings it where one does. */
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

  private static final String DEFAULTS =
      "SELECT oid::int8 FROM pg_attrdef WHERE adrelid = ?::int8::oid";

  /*
   * An aggregate has no definition to be read; none can stand in a definition of a table. What takes
   * or gives rows of a table cannot be made before the table.
   */
  private static final String FUNCTION =
      """
      SELECT p.oid::regprocedure::text, n.nspname,
             CASE WHEN p.prokind <> 'a' THEN pg_get_functiondef(p.oid) END,
             array_to_string(p.proargtypes::oid[] || p.prorettype, ' '),
             EXISTS (SELECT FROM pg_type t JOIN pg_class c ON c.oid = t.typrelid AND c.relkind <> 'c'
                     WHERE t.oid = ANY (p.proargtypes::oid[] || p.prorettype))
      FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE p.oid = ?::int8::oid
      """;

  /* Where the locale stands has changed with the versions. */
  private static final String COLLATION =
      """
      SELECT n.nspname, c.collname, c.collprovider, c.collisdeterministic,
             coalesce(to_jsonb(c) ->> 'colllocale', to_jsonb(c) ->> 'colliculocale', c.collcollate),
             c.collcollate, c.collctype, to_jsonb(c) ->> 'collicurules'
      FROM pg_collation c JOIN pg_namespace n ON n.oid = c.collnamespace
      WHERE c.oid = ?::int8::oid
      """;

  private static final String ENUM_LABELS =
      "SELECT enumlabel FROM pg_enum WHERE enumtypid = ?::int8::oid ORDER BY enumsortorder";

  private static final String DOMAIN_CHECKS =
      """
      SELECT oid::int8, quote_ident(conname), pg_get_constraintdef(oid)
      FROM pg_constraint WHERE contypid = ?::int8::oid AND contype = 'c' ORDER BY oid
      """;

  private static final String ATTRIBUTES =
      """
      SELECT a.atttypid::int8, quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
             (SELECT format('%I.%I', n.nspname, c.collname)
              FROM pg_collation c JOIN pg_namespace n ON n.oid = c.collnamespace
              WHERE c.oid = a.attcollation AND a.attcollation <> at.typcollation)
      FROM pg_type t JOIN pg_attribute a ON a.attrelid = t.typrelid
      JOIN pg_type at ON at.oid = a.atttypid
      WHERE t.oid = ?::int8::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
      """;

  /* Multiranges came with PostgreSQL 14: before, the column is not there to be named. */
  private static final String RANGE =
      """
      SELECT r.rngsubtype::int8, format_type(r.rngsubtype, NULL),
             (SELECT format('%I.%I', n.nspname, o.opcname)
              FROM pg_opclass o JOIN pg_namespace n ON n.oid = o.opcnamespace
              WHERE o.oid = r.rngsubopc),
             (SELECT format('%I.%I', n.nspname, c.collname)
              FROM pg_collation c JOIN pg_namespace n ON n.oid = c.collnamespace
              WHERE c.oid = r.rngcollation),
             r.rngcanonical <> 0,
             (SELECT format('%I.%I', n.nspname, m.typname)
              FROM pg_type m JOIN pg_namespace n ON n.oid = m.typnamespace
              WHERE m.oid = (to_jsonb(r) ->> 'rngmultitypid')::oid)
      FROM pg_range r WHERE r.rngtypid = ?::int8::oid
      """;

  private static final String RANGE_OF_MULTIRANGE =
      "SELECT rngtypid::int8 FROM pg_range WHERE rngmultitypid = ?::int8::oid";

  private final CatalogRows catalog;
  private final int targetMajorVersion;
  private final Set<String> seen = new HashSet<>();
  private final Map<String, DefinitionStatement> schemas = new LinkedHashMap<>();
  private final Map<String, DefinitionStatement> extensions = new LinkedHashMap<>();
  private final List<DefinitionStatement> objects = new ArrayList<>();

  TypeDefinitions(CatalogRows catalog, int targetMajorVersion) {
    this.catalog = catalog;
    this.targetMajorVersion = targetMajorVersion;
  }

  void needSchema(String schema) {
    schemas.put(
        schema,
        new DefinitionStatement(
            "schema " + schema,
            "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = " + SqlLiteral.of(schema),
            "CREATE SCHEMA " + TableId.quote(schema)));
  }

  /** What the expressions in a table's defaults name. */
  void needForDefaults(long tableOid) throws SQLException {
    for (String[] row : catalog.of(DEFAULTS, tableOid)) {
      needFor("pg_attrdef", Long.parseLong(row[0]));
    }
  }

  /**
   * What an object's definition names: functions, types, collations and what extensions bring.
   *
   * @param catalogTable that has the object
   */
  void needFor(String catalogTable, long oid) throws SQLException {
    for (String[] needed : catalog.of(NEEDED_BY.formatted(catalogTable), oid)) {
      long object = Long.parseLong(needed[1]);
      if (needed[2] != null) {
        if (object >= FIRST_OWN_OID) {
          needExtension(new String[] {needed[2], needed[3]});
        }
        continue;
      }
      switch (needed[0]) {
        case "pg_proc" -> needFunction(object);
        case "pg_type" -> {
          if (catalog.of(ROW_OF_TABLE, object).isEmpty()) {
            need(object);
          }
        }
        case "pg_collation" -> needCollation(object);
        default -> {}
      }
    }
  }

  /** A collation that a user made. */
  void needCollation(long oid) throws SQLException {
    if (oid < FIRST_OWN_OID || !seen.add("collation " + oid)) {
      return;
    }
    for (String[] row : catalog.of(COLLATION, oid)) {
      TableId name = new TableId(row[0], row[1]);
      needSchema(name.schema());
      String options =
          row[2].equals("c")
              ? "provider = libc, lc_collate = %s, lc_ctype = %s"
                  .formatted(SqlLiteral.of(row[5]), SqlLiteral.of(row[6]))
              : "provider = %s, locale = %s, deterministic = %s%s"
                  .formatted(
                      row[2].equals("i") ? "icu" : "builtin",
                      SqlLiteral.of(row[4]),
                      row[3].equals("t"),
                      row[7] == null ? "" : ", rules = " + SqlLiteral.of(row[7]));
      objects.add(
          new DefinitionStatement(
              "collation " + name,
              "SELECT 1 FROM pg_catalog.pg_collation c JOIN pg_catalog.pg_namespace n"
                  + " ON n.oid = c.collnamespace WHERE n.nspname = %s AND c.collname = %s"
                      .formatted(SqlLiteral.of(name.schema()), SqlLiteral.of(name.name())),
              "CREATE COLLATION %s (%s)".formatted(name.quoted(), options)));
    }
  }

  /** A function that a user wrote, and what its signature and a parsed body name. */
  private void needFunction(long oid) throws SQLException {
    if (oid < FIRST_OWN_OID || !seen.add("function " + oid)) {
      return;
    }
    for (String[] row : catalog.of(FUNCTION, oid)) {
      if (row[2] == null || row[4].equals("t")) {
        continue;
      }
      for (String type : row[3].split(" ")) {
        need(Long.parseLong(type));
      }
      needFor("pg_proc", oid);
      needSchema(row[1]);
      objects.add(
          new DefinitionStatement(
              "function " + row[0],
              "SELECT 1 WHERE pg_catalog.to_regprocedure(%s) IS NOT NULL"
                  .formatted(SqlLiteral.of(row[0])),
              row[2]));
    }
  }

  void need(long oid) throws SQLException {
    if (oid < FIRST_OWN_OID || !seen.add("type " + oid)) {
      return;
    }
    List<String[]> extension = catalog.of(EXTENSION_OF_TYPE, oid);
    if (!extension.isEmpty()) {
      needExtension(extension.get(0));
      return;
    }
    List<String[]> found = catalog.of(TYPE, oid);
    if (found.isEmpty()) {
      // Dropped since: only a table that is gone as well can have had it.
      return;
    }
    String[] type = found.get(0);
    long element = Long.parseLong(type[3]);
    if (element != 0) {
      need(element);
      return;
    }
    TableId name = new TableId(type[1], type[2]);
    switch (type[0]) {
      case "e" -> add(name, "AS ENUM (" + enumLabels(oid) + ")");
      case "c" -> add(name, "AS (" + attributes(oid, name, type[9]) + ")");
      case "d" -> addDomain(oid, name, type);
      case "r" -> addRange(oid, name);
      case "m" -> need(Long.parseLong(catalog.of(RANGE_OF_MULTIRANGE, oid).get(0)[0]));
      // A base type is code: only an extension or the server's owner brings it.
      default -> {}
    }
  }

  /** In the order in which they can be made. */
  List<DefinitionStatement> statements() {
    List<DefinitionStatement> all = new ArrayList<>(schemas.values());
    all.addAll(extensions.values());
    all.addAll(objects);
    return all;
  }

  private void needExtension(String[] nameAndSchema) {
    if (!nameAndSchema[1].equals("pg_catalog")) {
      needSchema(nameAndSchema[1]);
    }
    extensions.put(
        nameAndSchema[0],
        new DefinitionStatement(
            "extension " + nameAndSchema[0],
            "SELECT 1 FROM pg_catalog.pg_extension WHERE extname = "
                + SqlLiteral.of(nameAndSchema[0]),
            "CREATE EXTENSION %s SCHEMA %s"
                .formatted(TableId.quote(nameAndSchema[0]), TableId.quote(nameAndSchema[1]))));
  }

  private void add(TableId name, String body) {
    add("TYPE", name, body);
  }

  private void add(String kind, TableId name, String body) {
    needSchema(name.schema());
    objects.add(
        new DefinitionStatement(
            "type " + name,
            "SELECT 1 WHERE pg_catalog.to_regtype(%s) IS NOT NULL"
                .formatted(SqlLiteral.of(name.quoted())),
            "CREATE " + kind + " " + name.quoted() + " " + body));
  }

  private String enumLabels(long oid) throws SQLException {
    List<String> labels = new ArrayList<>();
    for (String[] row : catalog.of(ENUM_LABELS, oid)) {
      labels.add(SqlLiteral.of(row[0]));
    }
    return String.join(", ", labels);
  }

  private String attributes(long oid, TableId name, String relationKind) throws SQLException {
    if (!"c".equals(relationKind)) {
      throw new SluiceException.Fatal(
          new Problem(
              "column type " + name,
              "is the row type of a table",
              "a type that can be made without the table",
              "Create the tables on the target by hand and use TargetTablePrepMode DO_NOTHING."));
    }
    List<String> attributes = new ArrayList<>();
    for (String[] row : catalog.of(ATTRIBUTES, oid)) {
      need(Long.parseLong(row[0]));
      attributes.add(row[1] + " " + row[2] + (row[3] == null ? "" : " COLLATE " + row[3]));
    }
    return String.join(", ", attributes);
  }

  private void addDomain(long oid, TableId name, String[] type) throws SQLException {
    need(Long.parseLong(type[4]));
    StringBuilder body = new StringBuilder("AS ").append(type[5]);
    if (type[8] != null) {
      body.append(" COLLATE ").append(type[8]);
    }
    if (type[7] != null) {
      body.append(" DEFAULT ").append(type[7]);
    }
    if (type[6].equals("t")) {
      body.append(" NOT NULL");
    }
    for (String[] check : catalog.of(DOMAIN_CHECKS, oid)) {
      needFor("pg_constraint", Long.parseLong(check[0]));
      body.append(" CONSTRAINT ").append(check[1]).append(' ').append(check[2]);
    }
    add("DOMAIN", name, body.toString());
  }

  private void addRange(long oid, TableId name) throws SQLException {
    String[] range = catalog.of(RANGE, oid).get(0);
    need(Long.parseLong(range[0]));
    if (range[4].equals("t")) {
      throw new SluiceException.Fatal(
          new Problem(
              "range type " + name,
              "has a canonical function, which is code",
              "a range type that can be made from its definition",
              "Create the type on the target by hand and use TargetTablePrepMode DO_NOTHING."));
    }
    add(
        name,
        "AS RANGE (SUBTYPE = %s, SUBTYPE_OPCLASS = %s%s%s)"
            .formatted(
                range[1],
                range[2],
                range[3] == null ? "" : ", COLLATION = " + range[3],
                range[5] == null || targetMajorVersion < FIRST_WITH_MULTIRANGES
                    ? ""
                    : ", MULTIRANGE_TYPE_NAME = " + range[5]));
  }
}
