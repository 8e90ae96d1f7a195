package dev.sluice.engine.readiness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.load.PlannedValidations.Seen;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ConstraintFindingsTest {
  private static final CompletionStep STEP =
      new CompletionStep(
          new TableId("shop", "line"),
          Stage.CONSTRAINTS,
          1,
          Kind.VALIDATION,
          "shop.line.positive",
          Optional.empty(),
          Optional.empty(),
          List.of());

  /** A constraint that is not validated holds for each row that is inserted or changed. */
  @Test
  void aRowThatViolatesAConstraintIsNotSaidToBeFreeOfIt() {
    FindingList found = new FindingList(Set.of());
    ConstraintFindings.rows(List.of(new Seen(STEP, Optional.of("row (3) breaks it"), true)), found);
    assertThat(found.sorted())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.kind()).isEqualTo("unmatched-rows");
              assertThat(finding.found())
                  .contains("rows that are there are not checked, but a change of one may fail");
            });
  }
}
