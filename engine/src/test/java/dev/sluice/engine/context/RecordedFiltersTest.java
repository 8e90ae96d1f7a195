package dev.sluice.engine.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.sink.control.task.TaskStep;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RecordedFiltersTest {
  private static final TableId A = new TableId("shop", "a");
  private static final TableId B = new TableId("shop", "b");

  @Test
  void theFiltersWithWhichATaskBeganAreNoProblem() {
    RecordedFilters known = read(RecordedFilters.of(filtering("5"), List.of(A, B)));
    assertThat(known.changes(filtering("5"), List.of(A, B))).isEmpty();
  }

  @Test
  void anotherFilterIsAProblemWithBoth() {
    RecordedFilters known = read(RecordedFilters.of(filtering("5"), List.of(A, B)));
    assertThat(known.changes(filtering("6"), List.of(A, B)))
        .singleElement()
        .extracting(Problem::toString)
        .asString()
        .contains("table shop.a", "'5'", "'6'", "sluice resync");
    assertThat(known.changes(TableMappings.EVERYTHING, List.of(A, B)).toString())
        .contains("select all of its rows", "'5'");
  }

  @Test
  void aTaskThatRecordedNothingHasNoFilters() {
    assertThat(RecordedFilters.of(List.of()).changes(filtering("5"), List.of(A, B)).toString())
        .contains("table shop.a", "has replicated all so far");
    assertThat(RecordedFilters.of(List.of()).changes(TableMappings.EVERYTHING, List.of(A)))
        .isEmpty();
  }

  @Test
  void aTableThatIsTakenInHasTheFilterOfNowAndTheOthersKeepTheirs() {
    RecordedFilters known = RecordedFilters.of(TableMappings.EVERYTHING, List.of(B));
    RecordedFilters more = read(known.and(filtering("5"), List.of(A)));
    assertThat(more.changes(filtering("5"), List.of(A, B))).isEmpty();
    assertThat(more.changes(filtering("7"), List.of(A, B))).hasSize(1);
  }

  @Test
  void aTableThatTheTaskDoesNotReplicateIsNoProblem() {
    assertThat(RecordedFilters.of(List.of()).changes(filtering("5"), List.of(B))).isEmpty();
  }

  private static RecordedFilters read(RecordedFilters written) {
    return RecordedFilters.of(
        List.of(
            new TaskStep(
                TaskStepNames.FILTERS,
                TaskStepNames.FILTERS_KNOWN,
                written.detail(),
                Instant.EPOCH)));
  }

  /** Table a has a filter, and table b none. */
  private static TableMappings filtering(String value) {
    return TableMappings.parse(
        "rules",
        """
        {"rules": [
          {"rule-type": "selection", "rule-id": "1", "rule-name": "1", "rule-action": "include",
           "object-locator": {"schema-name": "shop", "table-name": "a"},
           "filters": [{"filter-type": "source", "column-name": "v", "filter-conditions":
             [{"filter-operator": "gte", "value": "%s"}]}]},
          {"rule-type": "selection", "rule-id": "2", "rule-name": "2", "rule-action": "include",
           "object-locator": {"schema-name": "shop", "table-name": "b"}}]}
        """
            .formatted(value),
        Optional.empty());
  }
}
