package dev.sluice.engine.cutover.hook;

import java.util.List;

/** A step of a hook failed. */
final class HookFailure extends Exception {
  private static final long serialVersionUID = 1L;

  private final String expected;
  private final String fix;
  private final transient List<String> output;

  /**
   * @param found what happened
   * @param output what the step reported until then
   */
  HookFailure(String found, String expected, String fix, List<String> output) {
    super(found);
    this.expected = expected;
    this.fix = fix;
    this.output = List.copyOf(output);
  }

  String expected() {
    return expected;
  }

  String fix() {
    return fix;
  }

  List<String> output() {
    return output;
  }
}
