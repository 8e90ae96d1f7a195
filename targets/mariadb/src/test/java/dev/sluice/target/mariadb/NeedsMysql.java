package dev.sluice.target.mariadb;

import dev.sluice.embedded.mariadb.EmbeddedMysql;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.LifecycleContext;
import net.jqwik.api.lifecycle.SkipExecutionHook;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Skips the tests and the properties of a class, with a reason, where there is no MySQL. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsMysql.OfTests.class)
@AddLifecycleHook(NeedsMysql.OfProperties.class)
@interface NeedsMysql {

  final class OfTests implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return EmbeddedMysql.isAvailable()
          ? ConditionEvaluationResult.enabled("there is a MySQL")
          : ConditionEvaluationResult.disabled(EmbeddedMysql.MISSING);
    }
  }

  final class OfProperties implements SkipExecutionHook {
    @Override
    public SkipResult shouldBeSkipped(LifecycleContext context) {
      return EmbeddedMysql.isAvailable()
          ? SkipResult.doNotSkip()
          : SkipResult.skip(EmbeddedMysql.MISSING);
    }
  }
}
