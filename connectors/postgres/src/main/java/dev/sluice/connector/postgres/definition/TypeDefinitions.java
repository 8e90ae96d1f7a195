package dev.sluice.connector.postgres.definition;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.postgres.server.SqlLiteral;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Creates the statement for a type on the target. Owned by the thread that reads the definitions.
 */
final class TypeDefinitions {
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

  /* Multiranges exist since PostgreSQL 14; older catalogs do not have the column. */
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
  private final Prerequisites needed;

  TypeDefinitions(CatalogRows catalog, int targetMajorVersion, Prerequisites needed) {
    this.catalog = catalog;
    this.targetMajorVersion = targetMajorVersion;
    this.needed = needed;
  }

  /**
   * The statement, after those of its prerequisites. Empty if these are sufficient, or if the type
   * was dropped: then its table was dropped as well.
   */
  Optional<DefinitionStatement> of(long oid) throws SQLException {
    List<String[]> found = catalog.of(TYPE, oid);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    String[] type = found.get(0);
    long element = Long.parseLong(type[3]);
    if (element != 0) {
      needed.needType(element);
      return Optional.empty();
    }
    TableId name = new TableId(type[1], type[2]);
    return switch (type[0]) {
      case "e" -> Optional.of(type("TYPE", name, "AS ENUM (" + enumLabels(oid) + ")"));
      case "c" -> Optional.of(type("TYPE", name, "AS (" + attributes(oid, name, type[9]) + ")"));
      case "d" -> Optional.of(domain(oid, name, type));
      case "r" -> Optional.of(range(oid, name));
      case "m" -> {
        needed.needType(Long.parseLong(catalog.of(RANGE_OF_MULTIRANGE, oid).get(0)[0]));
        yield Optional.empty();
      }
      // A base type is code: only an extension or a superuser can create it.
      default -> Optional.empty();
    };
  }

  private DefinitionStatement type(String kind, TableId name, String body) {
    needed.needSchema(name.schema());
    return new DefinitionStatement(
        "type " + name,
        "SELECT 1 WHERE pg_catalog.to_regtype(%s) IS NOT NULL"
            .formatted(SqlLiteral.of(name.quoted())),
        "CREATE " + kind + " " + name.quoted() + " " + body);
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
              "a type that can be created without the table",
              "Create the tables on the target by hand and use TargetTablePrepMode DO_NOTHING"));
    }
    List<String> attributes = new ArrayList<>();
    for (String[] row : catalog.of(ATTRIBUTES, oid)) {
      needed.needType(Long.parseLong(row[0]));
      attributes.add(row[1] + " " + row[2] + (row[3] == null ? "" : " COLLATE " + row[3]));
    }
    return String.join(", ", attributes);
  }

  private DefinitionStatement domain(long oid, TableId name, String[] type) throws SQLException {
    needed.needType(Long.parseLong(type[4]));
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
      needed.needFor("pg_constraint", Long.parseLong(check[0]));
      // Values that break it are refused before; new ones fulfil it.
      String condition = check[2].replaceFirst(" NOT VALID$", "");
      body.append(" CONSTRAINT ").append(check[1]).append(' ').append(condition);
    }
    DefinitionStatement made = type("DOMAIN", name, body.toString());
    Optional<String> unsafe =
        needed.makesAnyDomain() ? Optional.empty() : UnsafeCode.inChecksOf(catalog, oid);
    return unsafe
        .map(
            functions ->
                UnsafeCode.instead(
                    made,
                    "its checks use what is not both built in and immutable (" + functions + ")"))
        .orElse(made);
  }

  private DefinitionStatement range(long oid, TableId name) throws SQLException {
    String[] range = catalog.of(RANGE, oid).get(0);
    needed.needType(Long.parseLong(range[0]));
    if (range[4].equals("t")) {
      throw new SluiceException.Fatal(
          new Problem(
              "range type " + name,
              "has a canonical function, which is code",
              "a range type that can be created from its definition",
              "Create the type on the target by hand and use TargetTablePrepMode DO_NOTHING"));
    }
    return type(
        "TYPE",
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
