package dev.sluice.engine.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** What the daemon writes as JSON, a client reads as the same value. */
class TaskStatusPropertiesTest {

  @Property(tries = 200)
  void aStatusThatIsWrittenIsReadEqual(@ForAll long seed) throws Exception {
    isReadEqual(TaskStatus.class, seed);
  }

  @Property(tries = 200)
  void aLastStateThatIsWrittenIsReadEqual(@ForAll long seed) throws Exception {
    isReadEqual(LastState.class, seed);
  }

  @Property(tries = 200)
  void anOutcomeThatIsWrittenIsReadEqual(@ForAll long seed) throws Exception {
    isReadEqual(TaskControl.Outcome.class, seed);
  }

  private static <T> void isReadEqual(Class<T> type, long seed) throws Exception {
    Object written = any(type, new Random(seed));
    assertThat(StatusJson.read(StatusJson.write(written), type)).isEqualTo(written);
  }

  private static Object any(Type type, Random random) throws ReflectiveOperationException {
    if (type instanceof ParameterizedType generic) {
      Type[] parts = generic.getActualTypeArguments();
      if (generic.getRawType() == List.class) {
        return Stream.generate(() -> element(parts[0], random)).limit(random.nextInt(3)).toList();
      }
      Map<String, Object> map = new LinkedHashMap<>();
      for (int i = random.nextInt(3); i > 0; i--) {
        map.put(text(random), element(parts[1], random));
      }
      return map;
    }
    Class<?> plain = (Class<?>) type;
    if (plain == long.class || plain == Long.class) {
      return random.nextLong();
    }
    if (plain == double.class || plain == Double.class) {
      return random.nextInt(5) == 0 ? Double.POSITIVE_INFINITY : random.nextGaussian() * 1e6;
    }
    if (plain == boolean.class) {
      return random.nextBoolean();
    }
    if (plain == String.class) {
      return text(random);
    }
    if (plain == Instant.class) {
      return Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000));
    }
    if (plain.isEnum()) {
      return plain.getEnumConstants()[random.nextInt(plain.getEnumConstants().length)];
    }
    RecordComponent[] components = plain.getRecordComponents();
    Object[] values = new Object[components.length];
    for (int i = 0; i < values.length; i++) {
      boolean absent = !components[i].getType().isPrimitive() && random.nextInt(4) == 0;
      values[i] = absent ? null : any(components[i].getGenericType(), random);
    }
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    return plain.getDeclaredConstructor(types).newInstance(values);
  }

  private static Object element(Type type, Random random) {
    try {
      return any(type, random);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private static String text(Random random) {
    return random
        .ints(random.nextInt(6), ' ', 0x2fff)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }
}
