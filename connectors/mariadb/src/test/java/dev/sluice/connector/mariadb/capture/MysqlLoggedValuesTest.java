package dev.sluice.connector.mariadb.capture;

import dev.sluice.connector.mariadb.Servers;
import dev.sluice.embedded.mariadb.EmbeddedMysql;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;
import net.jqwik.api.lifecycle.LifecycleContext;
import net.jqwik.api.lifecycle.PropagationMode;
import net.jqwik.api.lifecycle.SkipExecutionHook;

/** The same with MySQL. */
@AddLifecycleHook(
    value = MysqlLoggedValuesTest.WithoutMysql.class,
    propagateTo = PropagationMode.ALL_DESCENDANTS)
class MysqlLoggedValuesTest extends LoggedValuesTest {

  /** Skips it where there is none. */
  static final class WithoutMysql implements SkipExecutionHook {
    @Override
    public SkipResult shouldBeSkipped(LifecycleContext context) {
      return EmbeddedMysql.isAvailable()
          ? SkipResult.doNotSkip()
          : SkipResult.skip(EmbeddedMysql.MISSING);
    }
  }

  @BeforeTry
  void useMysql() {
    Servers.use(true);
  }

  @AfterTry
  void useMariadb() {
    Servers.use(false);
  }
}
