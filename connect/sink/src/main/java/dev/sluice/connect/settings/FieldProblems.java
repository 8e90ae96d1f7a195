package dev.sluice.connect.settings;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Collects problems by the property that has to be fixed. Mutable; owned by one thread. */
public final class FieldProblems {
  private final Map<String, List<Problem>> found = new LinkedHashMap<>();

  void add(String property, Problem problem) {
    found.merge(
        property,
        List.of(problem),
        (before, more) -> Stream.concat(before.stream(), more.stream()).toList());
  }

  /** Adds all problems of a failure. */
  void add(String property, SluiceException failure, String fix) {
    if (failure instanceof SluiceException.Fatal fatal && !fatal.problems().isEmpty()) {
      fatal.problems().forEach(problem -> add(property, problem));
    } else {
      add(property, new Problem(property, failure.getMessage(), "", fix));
    }
  }

  boolean isEmpty() {
    return found.isEmpty();
  }

  public Map<String, List<Problem>> byProperty() {
    return found;
  }

  List<Problem> all() {
    return found.values().stream().flatMap(List::stream).toList();
  }
}
