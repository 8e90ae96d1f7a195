package dev.sluice.connector.mariadb;

import dev.sluice.embedded.mariadb.EmbeddedMysql;
import net.jqwik.api.lifecycle.LifecycleContext;
import net.jqwik.api.lifecycle.SkipExecutionHook;

/** Skips properties with a reason where there is no MySQL. */
public final class SkippedWithoutMysql implements SkipExecutionHook {
  @Override
  public SkipResult shouldBeSkipped(LifecycleContext context) {
    return EmbeddedMysql.isAvailable()
        ? SkipResult.doNotSkip()
        : SkipResult.skip(EmbeddedMysql.MISSING);
  }
}
