package dev.sluice.engine.readiness;

import dev.sluice.config.Counted;
import dev.sluice.config.document.Problem;
import dev.sluice.engine.status.CutoverReport.Weight;
import dev.sluice.engine.validate.continuous.ValidationProgress;
import dev.sluice.engine.validate.continuous.ValidationProgress.OfTable;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How far the target is proven equal, and how far it is behind. Pure. */
final class ProofFindings {
  private ProofFindings() {}

  /**
   * Adds what the validation knows.
   *
   * @param validation empty if none runs
   * @param locks whether the cutover stops the writers: rows that change now are compared then
   */
  static void ofValidation(
      Optional<ValidationProgress> validation, boolean locks, FindingList found) {
    if (validation.isEmpty()) {
      found.add(
          "not-validated",
          Weight.FACT,
          new Problem(
              "validation",
              "does not run, so nothing is proven equal by comparison",
              "",
              "Run sluice validate for a comparison now, or set EnableValidation"));
      return;
    }
    List<OfTable> tables = validation.get().tables();
    List<OfTable> different = tables.stream().filter(table -> table.failed() > 0).toList();
    if (!different.isEmpty()) {
      found.add(
          "differences",
          Weight.CHOICE,
          new Problem(
              Counted.of(different.size(), "table"),
              Counted.of(different.stream().mapToLong(OfTable::failed).sum(), "row")
                  + " of the target differ from the source's",
              "rows that are equal",
              "Make them equal with sluice repair; sluice_validation_failures_v2 lists them"),
          different.stream().map(ProofFindings::different).toList());
    }
    List<OfTable> unproven =
        tables.stream()
            .filter(table -> !(locks ? table.isFollowed() : table.isProven()))
            .filter(table -> table.failed() == 0)
            .toList();
    if (!unproven.isEmpty() || tables.isEmpty()) {
      found.add(
          "not-proven",
          Weight.CHOICE,
          new Problem(
              tables.isEmpty() ? "all tables" : Counted.of(unproven.size(), "table"),
              "not every row is proven equal yet"
                  + (validation.get().waiting().isEmpty()
                      ? ""
                      : "; the validation waits: " + validation.get().waiting()),
              "tables of which every row is proven equal",
              "Wait for the validation, or run sluice validate"),
          unproven.stream().map(ProofFindings::why).toList());
    }
    List<String> columns = new ArrayList<>();
    tables.forEach(
        table -> table.notCompared().forEach(column -> columns.add(table.table() + ": " + column)));
    if (!columns.isEmpty()) {
      found.add(
          "not-compared",
          Weight.FACT,
          new Problem(
              Counted.of(columns.size(), "column"), "is not part of the comparison", "", ""),
          columns);
    }
  }

  /**
   * Adds the lag, if it is above a limit.
   *
   * @param limit above which the validation waits
   * @param timeout for which a cutover waits
   */
  static void ofLag(Duration lag, Duration limit, Duration timeout, FindingList found) {
    if (lag.compareTo(limit) <= 0 && lag.compareTo(timeout) <= 0) {
      return;
    }
    boolean tooLong = lag.compareTo(timeout) > 0;
    found.add(
        "lag",
        tooLong ? Weight.BLOCKER : Weight.CHOICE,
        new Problem(
            "the target",
            "is %s s behind the source; %s"
                .formatted(
                    seconds(lag),
                    tooLong
                        ? "the cutover waits %s s for it".formatted(seconds(timeout))
                        : "the cutover waits for it, and nothing is compared above"
                            + " ValidationLagLimit, %s s".formatted(seconds(limit))),
            "a target that is about as new as the source",
            "Wait until sluice status shows less, or stop the writers earlier"
                + (tooLong ? ", or set a longer --timeout" : "")));
  }

  private static String different(OfTable table) {
    return "%s: %s%s"
        .formatted(
            table.table(),
            Counted.of(table.failed(), "row"),
            table.rejected() == 0
                ? ""
                : ", %,d of them rejected by the target".formatted(table.rejected()));
  }

  private static String why(OfTable table) {
    String why;
    if (table.problem().isPresent()) {
      why = table.problem().get();
    } else if (table.read().isEmpty()) {
      why = "not read to its end yet";
    } else if (!table.followed()) {
      why = "changed meanwhile, and is read again";
    } else {
      why =
          "%s changed and not compared since, %s pending, %s changing too often"
              .formatted(Counted.of(table.touched(), "row"), table.pending(), table.suspended());
    }
    return table.table() + ": " + why;
  }

  private static String seconds(Duration time) {
    return BigDecimal.valueOf(time.toMillis(), 3).stripTrailingZeros().toPlainString();
  }
}
