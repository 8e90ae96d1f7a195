package dev.sluice.connector.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.mariadb.server.SqlText;

/**
 * The name of an index or a sequence that one of another table may have: a table that got another
 * name on the target keeps those of its first one. Immutable.
 *
 * @param name of the index or sequence that is to be made
 * @param target the table of which it will be
 */
record KeptName(TableId name, TableId target) {
  /** Bytes of a name that leave room for a number. */
  private static final int LONGEST = TableId.LONGEST_NAME - 11;

  /** Gives what has the name another one: its own with its number, which nothing else has. */
  DefinitionStatement freed() {
    String others = others();
    String code =
        """
        DECLARE found record;
        BEGIN
          FOR found IN SELECT c.oid, c.relname, c.relkind %s LOOP
            EXECUTE pg_catalog.format('ALTER %%s %s RENAME TO %%I',
              CASE found.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'INDEX' END,
              CASE WHEN pg_catalog.octet_length(found.relname) <= %d THEN found.relname::text
                ELSE pg_catalog."left"(found.relname::text, 12) END || '_' || found.oid);
          END LOOP;
        END
        """
            .formatted(others, name.quoted().replace("%", "%%").replace("'", "''"), LONGEST);
    return new DefinitionStatement(
        "free name " + name,
        "SELECT 1 WHERE NOT EXISTS (SELECT %s)".formatted(others),
        "DO " + SqlText.of(code));
  }

  /** What has the name, and is of another table. */
  private String others() {
    return """
        FROM pg_catalog.pg_class c
        JOIN pg_catalog.pg_class t ON t.oid = COALESCE(
          (SELECT i.indrelid FROM pg_catalog.pg_index i WHERE i.indexrelid = c.oid),
          (SELECT d.refobjid FROM pg_catalog.pg_depend d
           WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid
             AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjsubid > 0
             AND c.relkind = 'S' AND d.deptype IN ('a', 'i')))
        WHERE c.oid = pg_catalog.to_regclass(%1$s)
          AND t.oid IS DISTINCT FROM pg_catalog.to_regclass(%2$s)
        """
        .formatted(SqlText.of(name.quoted()), SqlText.of(target.quoted()));
  }
}
