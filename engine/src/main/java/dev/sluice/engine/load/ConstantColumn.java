package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.transformation.Consolidation;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.source.load.RecordedTable;
import java.util.List;

/**
 * Makes a new target table fit to become the partition of one source in a table of several: with a
 * column that has one value, and without what a partition cannot have. Stateless.
 */
final class ConstantColumn {
  /*
   * From PostgreSQL 17 on a partition has no identity column of its own. The same numbers come from
   * a sequence that belongs to the column, as of a serial column.
   */
  private static final String SEQUENCES_FOR_IDENTITIES =
      """
      DO $do$
      DECLARE counted record;
      BEGIN
        FOR counted IN
          SELECT a.attrelid::regclass AS owner, a.attname, n.nspname, c.relname, s.*
          FROM pg_attribute a
          JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.refclassid = d.classid
            AND d.refobjid = a.attrelid AND d.refobjsubid = a.attnum AND d.deptype = 'i'
          JOIN pg_sequence s ON s.seqrelid = d.objid
          JOIN pg_class c ON c.oid = s.seqrelid JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE a.attrelid = %s::regclass AND a.attidentity <> ''
        LOOP
          EXECUTE format('ALTER TABLE %%s ALTER COLUMN %%I DROP IDENTITY',
            counted.owner, counted.attname);
          EXECUTE format('CREATE SEQUENCE %%I.%%I AS %%s INCREMENT BY %%s MINVALUE %%s MAXVALUE %%s'
            ' START WITH %%s CACHE %%s %%s OWNED BY %%s.%%I', counted.nspname, counted.relname,
            counted.seqtypid::regtype, counted.seqincrement, counted.seqmin, counted.seqmax,
            counted.seqstart, counted.seqcache,
            CASE WHEN counted.seqcycle THEN 'CYCLE' ELSE 'NO CYCLE' END,
            counted.owner, counted.attname);
          EXECUTE format('ALTER TABLE %%s ALTER COLUMN %%I SET DEFAULT nextval(%%L)',
            counted.owner, counted.attname, format('%%I.%%I', counted.nspname, counted.relname));
        END LOOP;
      END
      $do$""";

  private ConstantColumn() {}

  /** The statements for a table that was just created, which is empty; none without such a rule. */
  static List<DefinitionStatement> statements(RecordedTable table, TableMappings mappings) {
    TableId made = mappings.targetOf(table.table());
    return table
        .ruledBy(mappings)
        .consolidation(table.table())
        .map(rule -> statements(made, rule))
        .orElse(List.of());
  }

  private static List<DefinitionStatement> statements(TableId made, Consolidation rule) {
    String column = TableId.quote(rule.column());
    return List.of(
        DefinitionStatement.always(
            "column %s of %s".formatted(rule.column(), made),
            // The check lets PostgreSQL attach the table without reading it. A child table has
            // inherited the column already.
            "ALTER TABLE %1$s ADD COLUMN IF NOT EXISTS %2$s %3$s NOT NULL DEFAULT %4$s CHECK (%2$s = %4$s)"
                .formatted(made.quoted(), column, rule.type(), rule.literal())),
        DefinitionStatement.always(
            "sequences of " + made,
            SEQUENCES_FOR_IDENTITIES.formatted("'" + made.quoted().replace("'", "''") + "'")));
  }
}
