package dev.sluice.config.internals;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A library of which Sluice uses members that are not public. Each library has one class of its own
 * that looks up its members while it is loaded; after that, this object does not change.
 *
 * <p>A member that is not there is reported by {@link #require}, which a daemon calls when it
 * starts: another version of the library must not fail later, in the middle of the work.
 */
public final class Library {
  private final String name;
  private final String found;
  private final String builtFor;
  private final List<String> missing = new ArrayList<>();

  /**
   * @param found the version on the class path
   * @param builtFor the version with which Sluice was compiled and tested
   */
  public Library(String name, String found, String builtFor) {
    this.name = name;
    this.found = found;
    this.builtFor = builtFor;
  }

  /** The value that a constant has at run time; {@code unknown} if it is not there. */
  static String constant(Class<?> owner, String name) {
    try {
      return String.valueOf(owner.getField(name).get(null));
    } catch (ReflectiveOperationException e) {
      return "unknown";
    }
  }

  /**
   * Looks up a field. If it is not there, {@link #require} fails.
   *
   * @param type exactly as declared
   */
  public <T> HiddenField<T> field(Class<?> owner, String field, Class<T> type) {
    try {
      Field found = owner.getDeclaredField(field);
      if (found.getType() == type) {
        found.setAccessible(true);
        return new HiddenField<>(this, found, type);
      }
    } catch (NoSuchFieldException | InaccessibleObjectException e) {
      // Reported with all other missing members.
    }
    missing.add("field %s %s.%s".formatted(type.getSimpleName(), owner.getName(), field));
    return new HiddenField<>(this, null, type);
  }

  /** Looks up a constructor. If it is not there, {@link #require} fails. */
  public <T> HiddenConstructor<T> constructor(Class<T> owner, Class<?>... parameters) {
    try {
      Constructor<T> constructor = owner.getDeclaredConstructor(parameters);
      constructor.setAccessible(true);
      return new HiddenConstructor<>(this, constructor);
    } catch (NoSuchMethodException | InaccessibleObjectException e) {
      String types =
          Arrays.stream(parameters).map(Class::getSimpleName).collect(Collectors.joining(", "));
      missing.add("constructor %s(%s)".formatted(owner.getName(), types));
      return new HiddenConstructor<>(this, null);
    }
  }

  /**
   * Fails if the library does not have all members that were looked up.
   *
   * @throws SluiceException.Fatal naming the library, both versions and every missing member
   */
  public void require() {
    if (!missing.isEmpty()) {
      throw new SluiceException.Fatal(
          new Problem(
              "library " + name,
              "version %s, without %s".formatted(found, String.join(" and ", missing)),
              "version %s, for which this release of Sluice was built".formatted(builtFor),
              "Remove other versions of the library from the class path, and start Sluice with the"
                  + " libraries of its own release"));
    }
  }
}
