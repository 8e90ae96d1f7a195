package dev.sluice.config.settings;

import dev.sluice.config.document.FileLocation;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.Problems;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The description of one task setting: everything the reader of settings, the start log and the
 * settings page know of it. Immutable.
 *
 * @param section the DMS section it stands in; empty for the top of the document
 * @param name its DMS name
 * @param kind the values it takes
 * @param defaultValue of the kind's type
 * @param dmsDefault the default under the error profile dms-defaults; null where it is the same
 * @param meaning what it does, or does in DMS
 * @param effect what becomes of it here
 * @param reason why it has no effect; empty where it has
 * @param refusals the values that stop the start
 * @param live whether a running task takes a new value; else it waits for the next start
 */
public record Setting(
    String section,
    String name,
    SettingType kind,
    Object defaultValue,
    Object dmsDefault,
    String meaning,
    Effect effect,
    String reason,
    List<Refusal> refusals,
    boolean live) {

  /** What becomes of a setting. */
  public enum Effect {
    /** It is honoured. */
    IN_EFFECT("in effect"),
    /** Nothing here works that way; it is read and named. */
    NOT_APPLICABLE("not applicable"),
    /** Not built yet; it is read and named, or refused where that would change the outcome. */
    NOT_YET("not yet");

    private final String words;

    Effect(String words) {
      this.words = words;
    }

    @Override
    public String toString() {
      return words;
    }
  }

  /**
   * Values that cannot be honoured although DMS knows them.
   *
   * @param values which ones
   * @param allowed what may be written instead
   * @param reason why
   */
  record Refusal(Predicate<Object> values, String allowed, String reason) {}

  public Setting {
    refusals = List.copyOf(refusals);
  }

  static Setting toggle(String section, String name, boolean defaultValue, String meaning) {
    return inEffect(section, name, new SettingType.Switch(), defaultValue, meaning);
  }

  static Setting count(
      String section,
      String name,
      String unit,
      int least,
      int most,
      int defaultValue,
      String meaning) {
    return inEffect(section, name, new SettingType.Count(unit, least, most), defaultValue, meaning);
  }

  /** Least, most and default are decimal numbers of seconds. */
  static Setting seconds(
      String section, String name, String least, String most, String defaultValue, String meaning) {
    SettingType kind = new SettingType.Seconds(new BigDecimal(least), new BigDecimal(most));
    return inEffect(section, name, kind, parsed(kind, defaultValue), meaning);
  }

  static Setting megabytes(
      String section, String name, int least, int most, int defaultValue, String meaning) {
    SettingType kind = new SettingType.Megabytes(least, most);
    return inEffect(section, name, kind, DataSize.ofMebibytes(defaultValue), meaning);
  }

  static Setting choice(
      String section, String name, List<String> allowed, String defaultValue, String meaning) {
    return inEffect(
        section, name, new SettingType.Choice(List.copyOf(allowed)), defaultValue, meaning);
  }

  static Setting text(
      String section, String name, String content, String defaultValue, String meaning) {
    return inEffect(section, name, new SettingType.FreeText(content), defaultValue, meaning);
  }

  /** A value of any shape that is never in effect. */
  static Setting anything(String section, String name, String meaning) {
    return inEffect(section, name, new SettingType.Anything(), "none", meaning);
  }

  private static Setting inEffect(
      String section, String name, SettingType kind, Object defaultValue, String meaning) {
    return new Setting(
        section, name, kind, defaultValue, null, meaning, Effect.IN_EFFECT, "", List.of(), false);
  }

  private static Object parsed(SettingType kind, String number) {
    FileLocation nowhere = new FileLocation("", 1, 1, "");
    return kind.valueOf(new Node.Number(nowhere, number, new BigDecimal(number))).orElseThrow();
  }

  Setting notApplicable(String why) {
    return new Setting(
        section,
        name,
        kind,
        defaultValue,
        dmsDefault,
        meaning,
        Effect.NOT_APPLICABLE,
        why,
        refusals,
        false);
  }

  Setting notYet(String why) {
    return new Setting(
        section,
        name,
        kind,
        defaultValue,
        dmsDefault,
        meaning,
        Effect.NOT_YET,
        why,
        refusals,
        false);
  }

  /** Gives it another default under the error profile dms-defaults. */
  Setting orDms(Object other) {
    return new Setting(
        section, name, kind, defaultValue, other, meaning, effect, reason, refusals, live);
  }

  /** Every value but this one stops the start, for the reason given. */
  Setting only(Object honoured, String why) {
    return refusing(value -> !value.equals(honoured), kind.show(honoured), why);
  }

  Setting refusing(Predicate<Object> values, String allowed, String why) {
    List<Refusal> more = new ArrayList<>(refusals);
    more.add(new Refusal(values, allowed, why));
    return new Setting(
        section, name, kind, defaultValue, dmsDefault, meaning, effect, reason, more, live);
  }

  /** The same setting for one table, by a rule. */
  Setting ofTable(String rule, String meaningForTable) {
    return new Setting(
        rule,
        name,
        kind,
        defaultValue,
        dmsDefault,
        meaningForTable,
        effect,
        reason,
        refusals,
        live);
  }

  /** A running task takes a new value with its next window. */
  Setting changesLive() {
    return new Setting(
        section, name, kind, defaultValue, dmsDefault, meaning, effect, reason, refusals, true);
  }

  /**
   * The value that a node gives it; empty after a problem.
   *
   * @param thing what the problem is about: the node's place, or the order that gave it
   */
  public Optional<Object> valueOf(Node node, String thing, Problems problems) {
    Optional<Object> value = kind.valueOf(node);
    if (value.isEmpty()) {
      problems.add(new Problem(thing, node.shown(), kind.expected(), kind.fix(node)));
      return value;
    }
    for (Refusal refusal : refusals) {
      if (refusal.values().test(value.get())) {
        problems.add(
            new Problem(
                thing,
                node.shown() + " cannot be honoured: " + refusal.reason(),
                refusal.allowed(),
                "Change it to " + refusal.allowed() + ", or leave it out"));
        return Optional.empty();
      }
    }
    return value;
  }

  /** As it is written in messages: {@code ChangeProcessingTuning.BatchSplitSize}. */
  public String path() {
    return section.isEmpty() ? name : section + "." + name;
  }

  String shownDefault() {
    return dmsDefault == null
        ? kind.show(defaultValue)
        : kind.show(defaultValue) + "; dms-defaults: " + kind.show(dmsDefault);
  }
}
