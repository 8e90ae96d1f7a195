package dev.sluice.connector.mariadb.type;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.server.EqualAgain;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The decoders of texts and of ENUM and SET. Stateless. */
final class Texts {
  private Texts() {}

  /**
   * @param lengthBytes the bytes of the length before a value
   * @param column for messages
   */
  static ValueDecoder text(int lengthBytes, CharacterSet set, String column, ValuePolicy policy) {
    return new PrefixedSize(lengthBytes) {
      @Override
      void write(byte[] log, int from, int length, ValueText text) {
        if (!set.isUtf8()) {
          byte[] utf8 = utf8(log, from, length, set, column);
          add(utf8, 0, utf8.length, column, policy, text);
        } else {
          add(log, from, length, column, policy, text);
        }
      }
    };
  }

  /** An ENUM has the number of its label, 0 for an invalid value, which the server shows as ''. */
  static ValueDecoder enumeration(
      int size, List<byte[]> labels, CharacterSet set, String column, ValuePolicy policy) {
    byte[][] texts = texts(labels, set, column);
    return new FixedSize(size) {
      @Override
      void write(byte[] log, int at, ValueText text) {
        int number = (int) LogNumber.unsigned(log, at, size);
        if (number == 0) {
          text.end();
        } else {
          byte[] label = texts[number - 1];
          add(label, 0, label.length, column, policy, text);
        }
      }
    };
  }

  /** A SET has one bit for each label. */
  static ValueDecoder set(
      int size, List<byte[]> labels, CharacterSet set, String column, ValuePolicy policy) {
    byte[][] texts = texts(labels, set, column);
    return new FixedSize(size) {
      @Override
      void write(byte[] log, int at, ValueText text) {
        long members = LogNumber.unsigned(log, at, size);
        boolean first = true;
        for (int i = 0; i < texts.length; i++) {
          if ((members >> i & 1) != 0) {
            if (!first) {
              text.put(',');
            }
            first = false;
            text.put(kept(texts[i], 0, texts[i].length, column, policy));
          }
        }
        text.end();
      }
    };
  }

  private static byte[][] texts(List<byte[]> labels, CharacterSet set, String column) {
    return labels.stream()
        .map(label -> set.isBinary() ? label : utf8(label, 0, label.length, set, column))
        .toArray(byte[][]::new);
  }

  private static byte[] utf8(byte[] bytes, int from, int length, CharacterSet set, String column) {
    try {
      return set.decode(bytes, from, length).getBytes(StandardCharsets.UTF_8);
    } catch (CharacterCodingException e) {
      throw new SluiceException.Fatal(
          new Problem(
              column,
              "a value with bytes that are no text of the character set " + set.name(),
              "a text of " + set.name(),
              EqualAgain.byResyncAfter(
                  "Correct the row on the source, or convert the column to utf8mb4 there")));
    }
  }

  private static void add(
      byte[] bytes, int from, int length, String column, ValuePolicy policy, ValueText text) {
    byte[] kept = kept(bytes, from, length, column, policy);
    text.add(kept, kept == bytes ? from : 0, kept == bytes ? length : kept.length);
  }

  /** The same bytes if none is 0, and others without zeros if that is the policy. */
  private static byte[] kept(
      byte[] bytes, int from, int length, String column, ValuePolicy policy) {
    int kept = 0;
    for (int i = 0; i < length; i++) {
      if (bytes[from + i] != 0) {
        kept++;
      }
    }
    if (kept == length) {
      return bytes;
    }
    if (!policy.removesCharacters()) {
      throw new SluiceException.Fatal(RefusedValue.loggedZeroCharacter(column));
    }
    byte[] without = new byte[kept];
    for (int i = 0, to = 0; i < length; i++) {
      if (bytes[from + i] != 0) {
        without[to++] = bytes[from + i];
      }
    }
    return without;
  }
}
