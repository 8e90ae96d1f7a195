package dev.sluice.load.target;

import dev.sluice.sink.target.TargetDialect;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Finds the load dialect of a target among those that the class path declares. Stateless. */
public final class LoadDialects {
  private static final Map<String, LoadDialect> DECLARED =
      ServiceLoader.load(LoadDialect.class, LoadDialect.class.getClassLoader()).stream()
          .map(ServiceLoader.Provider::get)
          .collect(Collectors.toUnmodifiableMap(LoadDialect::type, Function.identity()));

  private LoadDialects() {}

  /** The load dialect that belongs to the target's dialect. */
  public static LoadDialect of(TargetDialect target) {
    LoadDialect dialect = DECLARED.get(target.type());
    if (dialect == null) {
      throw new IllegalStateException("BUG: target type " + target.type() + " has no load dialect");
    }
    return dialect;
  }
}
