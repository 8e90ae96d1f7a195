package dev.sluice.config.internals;

import java.lang.reflect.Field;

/** A field of a library that is not public. Immutable. */
public final class HiddenField<T> {
  private final Library library;
  private final Field field;
  private final Class<T> type;

  /**
   * @param field null if the library does not have it
   */
  HiddenField(Library library, Field field, Class<T> type) {
    this.library = library;
    this.field = field;
    this.type = type;
  }

  public T get(Object owner) {
    library.require();
    try {
      return type.cast(field.get(owner));
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("BUG: %s cannot be read".formatted(field), e);
    }
  }

  public void set(Object owner, T value) {
    library.require();
    try {
      field.set(owner, value);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("BUG: %s cannot be set".formatted(field), e);
    }
  }
}
