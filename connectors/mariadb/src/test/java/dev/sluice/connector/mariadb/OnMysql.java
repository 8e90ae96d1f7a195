package dev.sluice.connector.mariadb;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.embedded.mariadb.EmbeddedMysql;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Runs the tests of a class with MySQL, and skips them with a reason where there is none. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(OnMysql.Switch.class)
public @interface OnMysql {

  /** Switches before and behind the class. */
  final class Switch implements BeforeAllCallback, AfterAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
      assumeTrue(EmbeddedMysql.isAvailable(), EmbeddedMysql.MISSING);
      Servers.use(true);
    }

    @Override
    public void afterAll(ExtensionContext context) {
      Servers.use(false);
    }
  }
}
