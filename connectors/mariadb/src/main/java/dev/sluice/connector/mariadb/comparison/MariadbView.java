package dev.sluice.connector.mariadb.comparison;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.RowFilter;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.NotReadable.Reason;
import dev.sluice.connector.api.comparison.SourceView;
import dev.sluice.connector.api.source.VisibleTransactions;
import dev.sluice.connector.comparison.printed.PrintedTable;
import dev.sluice.connector.comparison.printed.PrintedView;
import dev.sluice.connector.comparison.printed.ScanSql;
import dev.sluice.connector.mariadb.catalog.DatabaseTables;
import dev.sluice.connector.mariadb.filter.FilterSql;
import dev.sluice.connector.mariadb.server.MariadbFailures;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;

/** Reads tables of a source under one snapshot. Owned by one thread at a time. */
final class MariadbView extends PrintedView implements SourceView {
  private final SnapshotSession session;
  private final String database;
  private final ValuePolicy values;
  private DatabaseTables catalog;

  MariadbView(SnapshotSession session, String database, ValuePolicy values) {
    super("source", session.snapshot(), ScanSql.MARIADB);
    this.session = session;
    this.database = database;
    this.values = values;
  }

  /** Transactions are numbered by their places in the log, which exactly describe the snapshot. */
  @Override
  public String visibleTransactions() {
    long next = session.position().number() + 1;
    return new VisibleTransactions(next, next, Set.of()).toString();
  }

  @Override
  public Position position() {
    return session.position().position();
  }

  @Override
  public String condition(TableId table, RowFilter filter) {
    try {
      return FilterSql.of(filter, catalog.table(table).orElseThrow());
    } catch (SluiceException.Fatal e) {
      throw new NotReadable(Reason.REFUSED, e.getMessage(), e);
    }
  }

  @Override
  protected Optional<PrintedTable> describe(TableId table) {
    try {
      if (catalog == null) {
        // Read for all tables of the session: a table that is altered afterwards is not read.
        catalog = DatabaseTables.read(session.snapshot().present(), database);
      }
      return catalog.table(table).map(found -> new PrintedForTarget(found, values));
    } catch (SQLException e) {
      throw MariadbFailures.classify("read the definition of " + table, e);
    }
  }
}
