package dev.sluice.engine.ddl;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * What a session sees of a database's own objects, in the order of their names, so that the same
 * seed chooses the same ones again. Immutable.
 */
record SeenCatalog(
    List<String> schemas, List<Relation> relations, List<UserType> types, List<String> sequences) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Objects of the system, and what Sluice makes. */
  private static final String OWN = "n.nspname !~ '^(pg_|information_schema|sluice)'";

  private static final String QUERY =
      """
      SELECT jsonb_build_object(
        'schemas', (SELECT jsonb_agg(quote_ident(n.nspname) ORDER BY n.nspname)
                    FROM pg_namespace n WHERE OWN),
        'sequences', (SELECT jsonb_agg(format('%I.%I', n.nspname, c.relname)
                        ORDER BY n.nspname, c.relname)
                      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                      WHERE OWN AND c.relkind = 'S'),
        'types', (SELECT jsonb_agg(jsonb_build_object('name', format('%I.%I', n.nspname, t.typname),
                     'kind', t.typtype) ORDER BY n.nspname, t.typname)
                  FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
                  LEFT JOIN pg_class c ON c.oid = t.typrelid
                  WHERE OWN AND (t.typtype IN ('e', 'd') OR t.typtype = 'c' AND c.relkind = 'c')),
        'relations', (SELECT jsonb_agg(jsonb_build_object(
            'schema', quote_ident(CASE WHEN n.oid = pg_my_temp_schema() THEN 'pg_temp' ELSE n.nspname END),
            'name', quote_ident(c.relname), 'kind', c.relkind,
            'partition', c.relispartition, 'typed', c.reloftype <> 0,
            'strategy', (SELECT partstrat FROM pg_partitioned_table WHERE partrelid = c.oid),
            'parent', (SELECT format('%I.%I', pn.nspname, p.relname) FROM pg_inherits i
                       JOIN pg_class p ON p.oid = i.inhparent
                       JOIN pg_namespace pn ON pn.oid = p.relnamespace
                       WHERE i.inhrelid = c.oid LIMIT 1),
            'columns', (SELECT jsonb_agg(jsonb_build_object('name', quote_ident(a.attname),
                'type', format_type(a.atttypid, a.atttypmod), 'generated', a.attgenerated,
                'identity', a.attidentity, 'typeKind', t.typtype) ORDER BY a.attnum)
              FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
              WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
            'constraints', (SELECT jsonb_agg(quote_ident(k.conname) ORDER BY k.conname)
              FROM pg_constraint k WHERE k.conrelid = c.oid),
            'indexes', (SELECT jsonb_agg(quote_ident(x.relname) ORDER BY x.relname)
              FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid WHERE i.indrelid = c.oid))
            ORDER BY n.nspname, c.relname)
          FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE (OWN OR n.oid = pg_my_temp_schema()) AND c.relkind IN ('r', 'p', 'v', 'm')))
      """
          .replace("OWN", OWN);

  record SeenColumn(
      String name, String type, boolean generated, boolean identity, String typeKind) {}

  /**
   * @param strategy of a partitioned table; else empty
   * @param parent of a partition or an inheritance child; else empty
   */
  record Relation(
      String schema,
      String name,
      char kind,
      boolean partition,
      boolean typed,
      String strategy,
      String parent,
      List<SeenColumn> columns,
      List<String> constraints,
      List<String> indexes) {
    String sql() {
      return schema + "." + name;
    }

    boolean isTable() {
      return kind == 'r' || kind == 'p';
    }
  }

  /**
   * @param kind as in pg_type
   */
  record UserType(String name, char kind) {}

  static SeenCatalog of(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(QUERY)) {
      row.next();
      JsonNode all = JSON.readTree(row.getString(1));
      List<Relation> relations = new ArrayList<>();
      all.path("relations").forEach(node -> relations.add(relation(node)));
      List<UserType> types = new ArrayList<>();
      all.path("types")
          .forEach(
              node ->
                  types.add(
                      new UserType(
                          node.path("name").asText(), node.path("kind").asText().charAt(0))));
      return new SeenCatalog(
          texts(all.path("schemas")), relations, types, texts(all.path("sequences")));
    } catch (IOException e) {
      throw new IllegalStateException("BUG: the catalog as JSON", e);
    }
  }

  List<Relation> relations(Predicate<Relation> wanted) {
    return relations.stream().filter(wanted).toList();
  }

  private static Relation relation(JsonNode node) {
    List<SeenColumn> columns = new ArrayList<>();
    node.path("columns")
        .forEach(
            column ->
                columns.add(
                    new SeenColumn(
                        column.path("name").asText(),
                        column.path("type").asText(),
                        !column.path("generated").asText().isEmpty(),
                        !column.path("identity").asText().isEmpty(),
                        column.path("typeKind").asText())));
    return new Relation(
        node.path("schema").asText(),
        node.path("name").asText(),
        node.path("kind").asText().charAt(0),
        node.path("partition").asBoolean(),
        node.path("typed").asBoolean(),
        node.path("strategy").asText("").replace("null", ""),
        node.path("parent").asText("").replace("null", ""),
        columns,
        texts(node.path("constraints")),
        texts(node.path("indexes")));
  }

  private static List<String> texts(JsonNode nodes) {
    List<String> texts = new ArrayList<>();
    nodes.forEach(node -> texts.add(node.asText()));
    return texts;
  }
}
