package dev.sluice.sink.control.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonTextsTest {

  @Test
  void everyTextComesBack() throws Exception {
    StringBuilder controls = new StringBuilder();
    for (char c = 1; c < 0x80; c++) {
      controls.append(c);
    }
    List<String> names = List.of("id", "a \"name\"", "é😀", "none");
    List<String> texts = Arrays.asList(controls.toString(), "\\", "\"é😀\u2028", null);
    JsonNode json = new ObjectMapper().readTree(JsonTexts.object(names, texts));
    for (int i = 0; i < names.size(); i++) {
      assertThat(json.get(names.get(i)).textValue()).isEqualTo(texts.get(i));
    }
  }

  @Test
  void anObjectIsReadable() {
    assertThat(JsonTexts.object(List.of("id", "note"), Arrays.asList("5", null)))
        .isEqualTo("{\"id\" : \"5\", \"note\" : null}");
    assertThat(JsonTexts.object(List.of(), List.of())).isEqualTo("{}");
  }
}
