package dev.sluice.connector.mariadb;

import dev.sluice.embedded.mariadb.EmbeddedMysql;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Runs the tests of a class with MySQL, and skips them with a reason where there is none. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(OnMysql.Switch.class)
public @interface OnMysql {

  /** Switches before and behind the class. */
  final class Switch implements ExecutionCondition, BeforeAllCallback, AfterAllCallback {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return EmbeddedMysql.isAvailable()
          ? ConditionEvaluationResult.enabled("there is a MySQL")
          : ConditionEvaluationResult.disabled(EmbeddedMysql.MISSING);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
      Servers.use(true);
    }

    @Override
    public void afterAll(ExtensionContext context) {
      Servers.use(false);
    }
  }
}
