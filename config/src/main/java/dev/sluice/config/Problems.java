package dev.sluice.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Collects all that is wrong with the user's files, so that everything is told at once. Mutable;
 * owned by the thread that reads the files.
 */
final class Problems {

  private final List<Problem> found = new ArrayList<>();

  void add(Place place, String met, String expected, String mend) {
    found.add(new Problem(place.toString(), met, expected, mend));
  }

  void add(Problem problem) {
    found.add(problem);
  }

  Optional<Problem> first() {
    return found.stream().findFirst();
  }

  int count() {
    return found.size();
  }

  /**
   * @throws SluiceException.Fatal with all problems, in the order of the files, if there are any
   */
  void throwIfAny() {
    if (!found.isEmpty()) {
      throw new SluiceException.Fatal(found);
    }
  }

  /**
   * The same for what was no file.
   *
   * @param thing what all the problems are about
   */
  void throwIfAny(String thing) {
    if (!found.isEmpty()) {
      throw new SluiceException.Fatal(
          found.stream()
              .map(problem -> new Problem(thing, problem.met(), problem.expected(), problem.mend()))
              .toList());
    }
  }
}
