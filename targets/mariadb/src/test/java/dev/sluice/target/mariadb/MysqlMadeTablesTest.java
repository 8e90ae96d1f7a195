package dev.sluice.target.mariadb;

import dev.sluice.target.mariadb.server.ServerKind;
import java.util.List;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** The same on MySQL; skipped where there is none. */
@OnMysql
class MysqlMadeTablesTest extends MadeTablesTest {
  private static final String NOT_MADE = "foreign keys are not made on MySQL";

  @Override
  ServerKind kind() {
    return ServerKind.MYSQL;
  }

  @Override
  List<String> madeColumns() {
    return List.of(
        "id|int|NO|PRI|auto_increment", "code|varchar(20)|NO|||new", "note|longtext|YES||");
  }

  @Override
  @Test
  @Disabled(NOT_MADE)
  void indexesAndForeignKeysAreMadeOnceAlsoIfTheirRecordWasLost() {}

  @Override
  @Test
  @Disabled(NOT_MADE)
  void aForeignKeyIsMadeForNewRowsAndThenTheOthersAreNamedByTheirKeys() {}
}
