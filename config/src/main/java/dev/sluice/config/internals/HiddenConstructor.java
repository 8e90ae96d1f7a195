package dev.sluice.config.internals;

import java.lang.reflect.Constructor;

/** A constructor of a library that is not public. Immutable. */
public final class HiddenConstructor<T> {
  private final Library library;
  private final Constructor<T> constructor;

  /**
   * @param constructor null if the library does not have it
   */
  HiddenConstructor(Library library, Constructor<T> constructor) {
    this.library = library;
    this.constructor = constructor;
  }

  public T create(Object... values) {
    library.require();
    try {
      return constructor.newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("BUG: %s fails".formatted(constructor), e);
    }
  }
}
