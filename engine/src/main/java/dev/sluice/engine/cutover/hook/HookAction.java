package dev.sluice.engine.cutover.hook;

/** A step of a hook, as keys of the task file and reports name it. */
public enum HookAction {
  CHECK("check"),
  PAUSE("pause"),
  SWITCH("switch"),
  RESUME("resume");

  private final String text;

  HookAction(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }
}
