package dev.sluice.config.document;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Collects all problems of the user's files, so that they are reported together. Mutable; owned by
 * the thread that reads the files.
 */
public final class Problems {

  private final List<Problem> found = new ArrayList<>();

  public void add(FileLocation place, String wrong, String expected, String fix) {
    found.add(new Problem(place.toString(), wrong, expected, fix));
  }

  public void add(Problem problem) {
    found.add(problem);
  }

  public Optional<Problem> first() {
    return found.stream().findFirst();
  }

  /** In the order in which they were found. */
  public List<Problem> all() {
    return List.copyOf(found);
  }

  public int count() {
    return found.size();
  }

  /**
   * @throws SluiceException.Fatal with all problems, in the order of the files, if there is any
   */
  public void throwIfAny() {
    if (!found.isEmpty()) {
      throw new SluiceException.Fatal(found);
    }
  }

  /**
   * The same for input that is not a file.
   *
   * @param thing replaces the location in every problem
   */
  public void throwIfAny(String thing) {
    if (!found.isEmpty()) {
      throw new SluiceException.Fatal(
          found.stream()
              .map(
                  problem -> new Problem(thing, problem.found(), problem.expected(), problem.fix()))
              .toList());
    }
  }
}
