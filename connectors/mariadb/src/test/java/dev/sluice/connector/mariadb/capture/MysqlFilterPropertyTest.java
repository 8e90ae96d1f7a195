package dev.sluice.connector.mariadb.capture;

import dev.sluice.connector.mariadb.Servers;
import dev.sluice.connector.mariadb.SkippedWithoutMysql;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;
import net.jqwik.api.lifecycle.PropagationMode;

/** The same with MySQL. */
@AddLifecycleHook(value = SkippedWithoutMysql.class, propagateTo = PropagationMode.ALL_DESCENDANTS)
class MysqlFilterPropertyTest extends FilterPropertyTest {

  @BeforeTry
  void useMysql() {
    Servers.use(true);
  }

  @AfterTry
  void useMariadb() {
    Servers.use(false);
  }
}
