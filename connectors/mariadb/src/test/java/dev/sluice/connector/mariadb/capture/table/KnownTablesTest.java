package dev.sluice.connector.mariadb.capture.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.CatalogTable.Kind;
import dev.sluice.connector.api.source.catalog.CatalogTable.OldRow;
import dev.sluice.connector.api.source.catalog.CatalogTable.Persistence;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class KnownTablesTest {
  private static final TableId TABLE = new TableId("shop", "t");
  private static final BinlogPosition READ = new BinlogPosition(1, 900);
  private static final CatalogTable IN_THE_CATALOG =
      new CatalogTable(
          TABLE,
          TABLE,
          Kind.ORDINARY,
          Persistence.LOGGED,
          OldRow.PRIMARY_KEY,
          List.of(new CatalogColumn("id", "integer", false, true, false, false)),
          null,
          0,
          true,
          true,
          false);

  private final KnownTables known =
      new KnownTables(
          CaptureScope.of(new SourceCatalog(List.of(IN_THE_CATALOG))),
          false,
          Optional.of(READ),
          TellingTables.NONE,
          PresentTables::unknown,
          Optional::empty);

  @Test
  void theCatalogIsNotCertainBeforeTheEndThatTheLogHadWhenItWasRead() {
    known.reach(new BinlogPosition(1, READ.offset() - 1));
    assertThat(known.certain(TABLE)).isEmpty();
    known.reach(READ);
    assertThat(known.certain(TABLE)).contains(IN_THE_CATALOG);
  }

  @Test
  void theCatalogSaysNothingOfATableThatAStatementChangedBeforeThatEnd() {
    known.lost(TABLE);
    known.reach(READ);
    assertThat(known.certain(TABLE)).isEmpty();
  }
}
