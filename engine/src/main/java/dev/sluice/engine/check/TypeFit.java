package dev.sluice.engine.check;

import dev.sluice.connector.api.source.catalog.TypeTree;
import dev.sluice.connector.api.source.catalog.TypeTree.ArrayOf;
import dev.sluice.connector.api.source.catalog.TypeTree.Attribute;
import dev.sluice.connector.api.source.catalog.TypeTree.Base;
import dev.sluice.connector.api.source.catalog.TypeTree.Composite;
import dev.sluice.connector.api.source.catalog.TypeTree.Enumeration;
import dev.sluice.connector.api.source.catalog.TypeTree.Range;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Decides whether a column of one type keeps every value of another type unchanged. Only types that
 * are known to do so pass: values are replicated as text, and a type that rounds, pads, cuts or
 * shifts its input would change them silently. Stateless.
 */
final class TypeFit {

  /** By built-in type, other types that read its text and print it unchanged. */
  private static final Map<String, Set<String>> WIDER =
      Map.of(
          "int2", Set.of("int4", "int8", "float8"),
          "int4", Set.of("int8", "float8"),
          "oid", Set.of("int8"),
          "jsonb", Set.of("json"));

  /** By built-in type of whole numbers, the digits of its largest value. */
  private static final Map<String, Integer> DIGITS =
      Map.of("int2", 5, "int4", 10, "int8", 19, "oid", 10);

  private static final Set<String> WITH_SECONDS =
      Set.of("time", "timetz", "timestamp", "timestamptz");

  private static final int SECOND_DIGITS = 6;

  /** Modifiers of characters and numerics count their own header. */
  private static final int HEADER = 4;

  private TypeFit() {}

  /**
   * @return why the target's type may change a value of the source's; empty if it keeps all
   */
  static Optional<String> objection(TypeTree source, TypeTree target) {
    Set<String> demands = new LinkedHashSet<>(target.demands());
    demands.removeAll(source.demands());
    if (!demands.isEmpty()) {
      return Optional.of(
          "its domain requires "
              + String.join(" and ", demands)
              + ", which the source's type does not");
    }
    TypeTree from = source.bare();
    TypeTree to = target.bare();
    if (to instanceof Base text && holdsAnyText(text)) {
      // Text of money has the currency and decimal places of one server.
      return from.all().noneMatch(part -> part instanceof Base base && base.is("money"))
          ? Optional.empty()
          : changes();
    }
    if (from instanceof Base a && to instanceof Base b) {
      return keeps(a, b) ? Optional.empty() : changes();
    }
    if (from instanceof Enumeration a && to instanceof Enumeration b) {
      Set<String> missing = new LinkedHashSet<>(a.labels());
      missing.removeAll(b.labels());
      return missing.isEmpty() ? Optional.empty() : Optional.of("it lacks the labels " + missing);
    }
    if (from instanceof ArrayOf a && to instanceof ArrayOf b) {
      return objection(a.element(), b.element());
    }
    if (from instanceof Composite a && to instanceof Composite b) {
      return composites(a, b);
    }
    if (from instanceof Range a && to instanceof Range b) {
      boolean same =
          a.multi() == b.multi()
              && a.order().equals(b.order())
              && a.canonical() == b.canonical()
              && a.builtIn() == b.builtIn()
              && (!a.builtIn() || a.name().equals(b.name()));
      return same ? objection(a.bound(), b.bound()) : changes();
    }
    return Optional.of("it is a different kind of type");
  }

  private static Optional<String> composites(Composite source, Composite target) {
    List<String> from = source.attributes().stream().map(Attribute::name).toList();
    List<String> to = target.attributes().stream().map(Attribute::name).toList();
    if (!from.equals(to)) {
      return Optional.of("its fields are %s, the source's %s".formatted(to, from));
    }
    for (int i = 0; i < from.size(); i++) {
      Optional<String> objection =
          objection(source.attributes().get(i).type(), target.attributes().get(i).type());
      if (objection.isPresent()) {
        return Optional.of("of its field " + from.get(i) + ": " + objection.get());
      }
    }
    return Optional.empty();
  }

  private static Optional<String> changes() {
    return Optional.of("it would change some values of the source's type");
  }

  private static boolean holdsAnyText(Base type) {
    return type.is("text") || type.is("varchar") && type.modifier() < 0;
  }

  private static boolean keeps(Base source, Base target) {
    String from = source.name().name();
    String to = target.name().name();
    if (!source.builtIn() || !target.builtIn()) {
      // An extension may be in another schema.
      return from.equals(to)
          && source.builtIn() == target.builtIn()
          && source.extension().equals(target.extension())
          && (source.extension().isPresent() || source.name().equals(target.name()))
          && (source.modifier() == target.modifier() || target.modifier() < 0);
    }
    if (from.equals(to)) {
      return source.modifier() == target.modifier()
          || sameTypeKeeps(from, source.modifier(), target.modifier());
    }
    if (to.equals("numeric") && DIGITS.containsKey(from)) {
      return target.modifier() < 0
          || scale(target.modifier()) == 0 && precision(target.modifier()) >= DIGITS.get(from);
    }
    if (from.equals("bpchar") && to.equals("varchar")
        || from.equals("bit") && to.equals("varbit")) {
      return atLeast(source.modifier(), target.modifier());
    }
    return WIDER.getOrDefault(from, Set.of()).contains(to);
  }

  private static boolean sameTypeKeeps(String type, int source, int target) {
    if (type.equals("numeric")) {
      return target < 0
          || source >= 0
              && scale(source) == scale(target)
              && precision(source) <= precision(target);
    }
    if (type.equals("varchar") || type.equals("varbit")) {
      return atLeast(source, target);
    }
    if (WITH_SECONDS.contains(type)) {
      return secondDigits(source) <= secondDigits(target);
    }
    return target < 0;
  }

  private static boolean atLeast(int source, int target) {
    return target < 0 || source >= 0 && source <= target;
  }

  private static int secondDigits(int modifier) {
    return modifier < 0 ? SECOND_DIGITS : modifier;
  }

  private static int precision(int modifier) {
    return (modifier - HEADER) >> 16 & 0xFFFF;
  }

  /** Of eleven bits, since PostgreSQL 15 with a sign. */
  private static int scale(int modifier) {
    return (modifier - HEADER & 0x7FF ^ 1024) - 1024;
  }
}
