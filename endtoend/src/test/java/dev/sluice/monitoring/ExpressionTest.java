package dev.sluice.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of metrics and labels are found wherever they stand. */
class ExpressionTest {

  @Test
  void metricsMatchersAndGroupsAreFound() {
    Expression found =
        Expression.of(
            "topk(3, sum by (task, le) (rate(a_bucket{kind=\"x y\",task!=\"b\"}[5m])))"
                + " > 0.25 * ignoring (disk) max without (job) (c) or time() - (d > 1e3)");
    assertThat(found.selectors())
        .extracting(Expression.Selector::text)
        .containsExactly("a_bucket{kind=\"x y\",task!=\"b\"}", "c", "d");
    assertThat(found.selectors().get(0).matched()).isEqualTo(Map.of("kind", "x y", "task", "b"));
    assertThat(found.grouped()).containsExactlyInAnyOrder("task", "le", "disk", "job");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1 > 0",
        "a > 1)",
        "(a > 1",
        "rat(a[5m])",
        "rate(a[5])",
        "rate(a[5m)",
        "a{kind}",
        "a{kind=x}",
        "a{kind=\"x\"",
        "{kind=\"x\"}",
        "sum by task (a)",
        "sum by (task (a)",
        "a > 5x",
        "a > $x",
        "a # 1"
      })
  void whatIsNoExpressionIsRefused(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> Expression.of(text));
  }
}
