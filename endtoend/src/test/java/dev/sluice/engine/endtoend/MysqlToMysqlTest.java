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

  @Test
  @Timeout(600)
  void aNameThatIsLeftOfAGroupMakesNoMemberAndAServerThatLeftOneIsRefused(@TempDir Path folder)
      throws Exception {
    try (EmbeddedServer source = ShopServer.MYSQL.start();
        EmbeddedServer target = target()) {
      BinlogShop.create(ShopServer.MYSQL, source);
      Path task = task(folder, source, target, "full-load");
      nameGroup(source);
      nameGroup(target);
      DaemonProcess.Finished named = DaemonProcess.commandHere("check", task.toString());
      assertThat(named.exitCode()).as(named.output()).isZero();

      try (Connection root = target.connect()) {
        // As the server does when it leaves a group: its rows may be old.
        Sql.texts(root, "SET GLOBAL super_read_only = ON");
      }
      DaemonProcess.Finished left = DaemonProcess.commandHere("check", task.toString());
      assertThat(left.exitCode()).as(left.output()).isNotZero();
      assertThat(left.output()).contains("its member_state is OFFLINE");
    }
  }

  /** Both have the same name, as a copied configuration makes it. */
  private static void nameGroup(EmbeddedServer server) throws SQLException {
    try (Connection root = server.connect()) {
      Sql.texts(
          root,
          "INSTALL PLUGIN group_replication SONAME 'group_replication.so'",
          "SET GLOBAL group_replication_group_name = '3e11fa47-71ca-11e1-9e33-c80aa9429562'");
    }
  }
}
