package dev.sluice.config.task;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.NearestName;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * The types of databases that this process can use on one side: those that the libraries on its
 * class path declare. Immutable.
 *
 * @param known in alphabetical order of their names
 */
record EndpointTypes<T extends EndpointType>(List<T> known) {

  EndpointTypes {
    known = List.copyOf(known);
  }

  static EndpointTypes<SourceType> sources() {
    return of(SourceType.class);
  }

  static EndpointTypes<TargetType> targets() {
    return of(TargetType.class);
  }

  private static <T extends EndpointType> EndpointTypes<T> of(Class<T> side) {
    return new EndpointTypes<>(
        ServiceLoader.load(side, side.getClassLoader()).stream()
            .map(ServiceLoader.Provider::get)
            .sorted((one, other) -> one.name().compareTo(other.name()))
            .toList());
  }

  /** The type that a section names; empty after a problem. */
  Optional<T> in(Fields section) {
    List<String> names = known.stream().map(EndpointType::name).toList();
    String expected = names.size() == 1 ? names.get(0) + ", the only type of this release" : "";
    Optional<String> name =
        section.requireText(
            "type",
            expected.isEmpty() ? Fields.oneOf(names) : names.get(0),
            "Add type: " + defaultName(names));
    Optional<T> type = name.flatMap(this::named);
    if (name.isPresent() && type.isEmpty()) {
      section.problem(
          "type",
          expected.isEmpty() ? Fields.oneOf(names) : expected,
          expected.isEmpty() ? NearestName.fix(name.get(), names) : "Write type: " + names.get(0));
    }
    return type;
  }

  /**
   * The type by which the rest of a section is checked that names none. Of a type that is named and
   * unknown, neither keys nor urls are known.
   */
  Optional<T> assumed(Fields section) {
    return section.take("type").isPresent() ? Optional.empty() : assumed();
  }

  /** The type that is assumed where there is no section. */
  Optional<T> assumed() {
    return named(defaultName(known.stream().map(EndpointType::name).toList()));
  }

  private static String defaultName(List<String> names) {
    return names.contains(Endpoint.POSTGRESQL) || names.isEmpty()
        ? Endpoint.POSTGRESQL
        : names.get(0);
  }

  Optional<T> named(String name) {
    return known.stream().filter(type -> type.name().equals(name)).findFirst();
  }
}
