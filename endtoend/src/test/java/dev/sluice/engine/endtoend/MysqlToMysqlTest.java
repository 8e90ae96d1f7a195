package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.engine.Sql;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** From MySQL to MySQL. */
class MysqlToMysqlTest extends BinlogToBinlog {
  MysqlToMysqlTest() {
    super(ShopServer.MYSQL);
  }

  /** They have the same rows, and neither sees a lock of the other. */
  @Test
  @Timeout(600)
  void membersOfOneGroupAreRefusedAsSourceAndTarget(@TempDir Path folder) throws Exception {
    try (EmbeddedServer source = ShopServer.MYSQL.start();
        EmbeddedServer target = target()) {
      BinlogShop.create(ShopServer.MYSQL, source);
      Path task = task(folder, source, target, "full-load");
      joinGroup(source);
      assertThat(DaemonProcess.commandHere("check", task.toString()).output())
          .doesNotContain("members of one cluster");
      joinGroup(target);
      DaemonProcess.Finished refused = DaemonProcess.commandHere("check", task.toString(), "-v");
      assertThat(refused.exitCode()).as(refused.output()).isNotZero();
      assertThat(refused.output())
          .contains("members of one cluster", "shop.customer")
          .contains("its member_state is OFFLINE");
    }
  }

  private static void joinGroup(EmbeddedServer server) throws SQLException {
    try (Connection root = server.connect()) {
      Sql.texts(
          root,
          "INSTALL PLUGIN group_replication SONAME 'group_replication.so'",
          "SET GLOBAL group_replication_group_name = '3e11fa47-71ca-11e1-9e33-c80aa9429562'");
    }
  }
}
